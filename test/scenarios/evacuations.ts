import {
  arrangeBudget,
  arrangeOneNode,
  arrangePod,
  at,
  becomes,
  budgetsPath,
  evacuate,
  evacuationOf,
  evacuationsPath,
  instigator,
  isGone,
  isOver,
  keyOf,
  look,
  pathOf,
  podsPath,
  priorityOf,
  report,
  stays,
  type EvacuationScenario,
  type EvacuationSeen,
  type EvacuationWorld,
  type PodKey,
} from './lifeboat-world.ts'
import { merge, paths, podsOf, template } from './workload-world.ts'

// KEP-4563, told to any Kubernetes with Lifeboat on it. Names in quotes are sentences of the KEP.

const first = 'first.example.com'
const second = 'second.example.com'
const third = 'third.example.com'
/** Annotations in an order that is not the one of the priorities. */
const three = {
  [priorityOf(third)]: '5',
  [priorityOf(first)]: '20000/before',
  [priorityOf(second)]: '10000/controller',
}
const minuteMs = 60_000
const deadlineMs = 10 * minuteMs

async function isActive(world: EvacuationWorld, pod: PodKey, evacuatorClass: string) {
  return becomes(
    world,
    pod,
    `${evacuatorClass} is active`,
    ({ status }) => status.activeEvacuatorClass === evacuatorClass,
  )
}

/** As if its last report had been that long ago; the past is allowed. */
async function fallSilent(world: EvacuationWorld, pod: PodKey): Promise<void> {
  await report(world, pod, { evacuationProgressTimestamp: at(world.nowMs() - deadlineMs - 1_000) })
}

const selection: readonly EvacuationScenario[] = [
  {
    name: '"The evacuator classes and their priorities are parsed from the pod annotations into the .spec.evacuators on Evacuation Admission."',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: three })
      await evacuate(world, pod, { evacuators: [{ evacuatorClass: first, priority: 1 }] })
      world.observe('evacuators', (await look(world, pod))?.spec.evacuators)
    },
  },
  {
    name: '"picks the highest priority evacuator from .spec.evacuators and sets its evacuatorClass to the .status.activeEvacuatorClass"',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: three })
      await evacuate(world, pod)
      await isActive(world, pod, first)
      await stays(world, pod)
    },
  },
  {
    name: '"If .status.activeEvacuatorCompleted is true and the pod exists [...] sets status.activeEvacuatorClass to the next highest priority evacuator"',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: three })
      await evacuate(world, pod)
      await isActive(world, pod, first)
      await report(world, pod, { activeEvacuatorCompleted: true })
      await isActive(world, pod, second)
    },
  },
  {
    name: '"or .spec.progressDeadlineSeconds has elapsed since .status.evacuationProgressTimestamp, then the evacuation controller sets status.activeEvacuatorClass to the next"',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: three })
      await evacuate(world, pod)
      await isActive(world, pod, first)
      await fallSilent(world, pod)
      await isActive(world, pod, second)
    },
  },
  {
    name: '"During the switch [...] Set .status.activeEvacuatorCompleted field to false. Update .status.evacuationProgressTimestamp to the present time. Set .status.expectedEvacuationFinishTime to nil. Set .status.message to indicate that the evacuators have been switched."',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: three })
      await evacuate(world, pod)
      await isActive(world, pod, first)
      const past = at(world.nowMs() - 5 * minuteMs)
      const finish = at(world.nowMs() + 60 * minuteMs)
      const message = 'handing over'
      const reported = { evacuationProgressTimestamp: past, expectedEvacuationFinishTime: finish, message }
      await report(world, pod, { ...reported, activeEvacuatorCompleted: true })
      const { status } = await isActive(world, pod, second)
      const ageMs = world.nowMs() - Date.parse(status.evacuationProgressTimestamp ?? '')
      world.observe('the progress is from now', ageMs >= 0 && ageMs < minuteMs)
      world.observe('no finish is expected', status.expectedEvacuationFinishTime === undefined)
      world.observe('not completed', status.activeEvacuatorCompleted)
    },
  },
  {
    name: 'a silent evacuator is named once half of its deadline has passed, and no more when it is back',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: three })
      await evacuate(world, pod)
      await isActive(world, pod, first)
      await report(world, pod, { evacuationProgressTimestamp: at(world.nowMs() - 6 * minuteMs) })
      const reasonOf = (status: string) => (seen: Parameters<Parameters<typeof becomes>[3]>[0]) =>
        seen.status.conditions?.some(({ type, status: is }) => type === 'Blocked' && is === status) ?? false
      await becomes(world, pod, 'it is called silent', reasonOf('True'))
      await report(world, pod, { evacuationProgressTimestamp: at(world.nowMs()), message: 'back again' })
      await becomes(world, pod, 'it is not called silent any more', reasonOf('False'))
    },
  },
]

const handOvers = ['completes', 'falls silent', 'rejects'] as const

/** Ten priorities in no order; the classes are named after the place that they should have. */
const ten = [42, 9_999, 10_000, 100_000, 0, 7, 50_000, 10_001, 3, 3].map((priority, at_) => ({ priority, at: at_ }))
const inOrder = ten.toSorted((a, b) => b.priority - a.priority || a.at - b.at)
const classOf = (entry: { readonly at: number }) => `e${entry.at}.example.com`

const tenHandOver: EvacuationScenario = {
  name: 'ten evacuators of mixed priorities hand over one after the other by completing, falling silent or rejecting; then eviction',
  run: async (world) => {
    await arrangeOneNode(world)
    const annotations = Object.fromEntries(
      ten.map((entry) => [
        priorityOf(classOf(entry)),
        entry.priority === 10_000 ? '10000/controller' : `${entry.priority}`,
      ]),
    )
    const pod = await arrangePod(world, 'web', { annotations })
    await evacuate(world, pod)
    for (const [turn, entry] of inOrder.entries()) {
      await isActive(world, pod, classOf(entry))
      const how = handOvers[turn % handOvers.length]
      if (how === 'falls silent') await fallSilent(world, pod)
      else if (how === 'rejects') await report(world, pod, { activeEvacuatorCompleted: true })
      else {
        await report(world, pod, { evacuationProgressTimestamp: at(world.nowMs()), message: `${turn} is at work` })
        await becomes(world, pod, 'it works', ({ status }) => status.message === `${turn} is at work`)
        await report(world, pod, { activeEvacuatorCompleted: true, message: `${turn} is done` })
      }
    }
    await isOver(world, pod)
    world.observe('eviction calls', await world.evictionCalls())
  },
}

const eviction: readonly EvacuationScenario[] = [
  {
    name: '"will observe pod evacuations and evict pods that cannot be evacuated by calling the eviction API": "Evacuation\'s .status.activeEvacuatorClass field is empty."',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world)
      await evacuate(world, pod)
      await isOver(world, pod)
      world.observe('eviction calls', await world.evictionCalls())
    },
  },
  {
    name: '"Evacuation\'s .status.activeEvacuatorCompleted field is true and there is no other evacuator to select."',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: { [priorityOf(third)]: '5' } })
      await evacuate(world, pod)
      await isActive(world, pod, third)
      await stays(world, pod)
      await report(world, pod, { activeEvacuatorCompleted: true })
      await isOver(world, pod)
      world.observe('eviction calls', await world.evictionCalls())
    },
  },
  {
    name: '"Evacuation\'s .spec.progressDeadlineSeconds has elapsed since .status.evacuationProgressTimestamp"',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: { [priorityOf(third)]: '5' } })
      await evacuate(world, pod)
      await isActive(world, pod, third)
      await fallSilent(world, pod)
      await isOver(world, pod)
      world.observe('eviction calls', await world.evictionCalls())
    },
  },
  {
    name: '"or from .metadata.creationTimestamp if .status.evacuationProgressTimestamp is nil."',
    virtualTimeOnly:
      'nobody can set a creation timestamp; test/real/evacuation-clock.test.ts has it with a clock that is ahead',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: { [priorityOf(third)]: '5' } })
      await evacuate(world, pod)
      await isActive(world, pod, third)
      await report(world, pod, { evacuationProgressTimestamp: null })
      await world.pass(deadlineMs - 10_000)
      await stays(world, pod)
      await world.pass(10_000)
      await isOver(world, pod)
    },
  },
  {
    name: '"Eviction of DaemonSet pods [...] is not supported. However, the Evacuation can still be used to evacuate them by other means."',
    run: async (world) => {
      await arrangeOneNode(world)
      const metadata = { name: 'log', namespace: 'NS' }
      const selector = { matchLabels: { app: 'web' } }
      await world.arrange('POST', paths.daemonSets, { metadata, spec: { selector, template: template(world) } })
      const [seen] = await world.eventually(
        'a pod of the DaemonSet runs',
        () => podsOf(world),
        (pods) => pods[0]?.status?.phase === 'Running',
      )
      const pod = keyOf(seen as unknown as Record<string, unknown>)
      await evacuate(world, pod)
      const isBlockedBy = (why: string) => (evacuation: EvacuationSeen) =>
        evacuation.status.conditions?.[0]?.reason === why
      await becomes(world, pod, 'its evacuator says why', isBlockedBy('NotUnderMaintenance'))
      await report(world, pod, { activeEvacuatorCompleted: true })
      await becomes(world, pod, 'after the last evacuator it says why', isBlockedBy('NotEvictable'))
      await stays(world, pod)
      world.observe('eviction calls', await world.evictionCalls())
      await world.arrange('DELETE', `${podsPath}/${pod.name}`)
      await isGone(world, pathOf(pod))
    },
  },
  {
    name: '"Eviction of [...] mirror pods is not supported."',
    run: async (world) => {
      await arrangeOneNode(world)
      const spec = { nodeName: `${world.namespace}-0`, automountServiceAccountToken: false }
      const pod = await arrangePod(world, 'static', { annotations: { 'kubernetes.io/config.mirror': 'hash' }, spec })
      await evacuate(world, pod)
      await becomes(world, pod, 'it says why', ({ status }) => status.conditions?.[0]?.reason === 'NotEvictable')
      await stays(world, pod)
      world.observe('eviction calls', await world.evictionCalls())
    },
  },
  {
    name: '"Terminating pods will not attempt eviction either."',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { finalizers: ['example.com/backup'] })
      await world.arrange('DELETE', `${podsPath}/${pod.name}`)
      await evacuate(world, pod)
      await becomes(world, pod, 'it says what holds the pod', ({ status }) => status.conditions?.[0]?.status === 'True')
      world.observe('eviction calls', await world.evictionCalls())
      await world.arrange('PATCH', `${podsPath}/${pod.name}`, { metadata: { finalizers: [] } }, merge)
      await isOver(world, pod)
    },
  },
  {
    name: '"If the pod eviction fails, e.g. due to a blocking PodDisruptionBudget, the .status.failedEvictionCounter is incremented and the pod is added back to the queue with exponential backoff": one call a step, one more when the budget is relaxed, within 2 seconds',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world)
      const blocking = { currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, observedGeneration: 1 }
      await arrangeBudget(world, 'web', { minAvailable: 1 }, blocking)
      const startedMs = world.nowMs()
      await evacuate(world, pod)
      await becomes(world, pod, 'the eviction was refused thrice', ({ status }) => status.failedEvictionCounter === 3)
      // 1 s and 2 s, less a tenth of each for the jitter.
      world.observe('it backs off', world.nowMs() - startedMs >= 2_600)
      world.observe('a call a step', await world.evictionCalls())
      const changedMs = world.nowMs()
      await world.arrange('PATCH', `${budgetsPath}/web`, { spec: { minAvailable: 0 } }, merge)
      // On a busy machine Kubernetes itself takes its time to see that there is room, and so may we.
      await world.eventually(
        'the budget has room, or had',
        () => world.read(`${budgetsPath}/web`),
        ({ body }) => (body as { status?: { observedGeneration?: number } }).status?.observedGeneration === 2,
      )
      const relaxedMs = world.nowMs()
      await world.eventually(
        'the pod is on its way',
        () => world.read(`${podsPath}/${pod.name}`),
        ({ status, body }) => status === 404 || isGoing(body),
      )
      const slownessMs = relaxedMs - changedMs
      world.observe('within 2 seconds', world.nowMs() - relaxedMs < 2_000 + 2 * slownessMs)
      await isOver(world, pod)
      world.observe('and one call more', await world.evictionCalls())
    },
  },
  {
    name: '"If there is a positive progress update in the .status.evacuationProgressTimestamp of the Evacuation, it will cancel the eviction."',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: { [priorityOf(third)]: '5' } })
      const blocking = { currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, observedGeneration: 1 }
      await arrangeBudget(world, 'web', { minAvailable: 1 }, blocking)
      await evacuate(world, pod)
      await isActive(world, pod, third)
      await fallSilent(world, pod)
      await becomes(world, pod, 'the eviction was refused', ({ status }) => status.failedEvictionCounter >= 1)
      await report(world, pod, { evacuationProgressTimestamp: at(world.nowMs()), message: 'back again' })
      await becomes(
        world,
        pod,
        'it is not blocked any more',
        ({ status }) => status.conditions?.[0]?.status === 'False',
      )
      const before = await world.evictionCalls()
      await world.arrange('DELETE', `${budgetsPath}/web`)
      await stays(world, pod, 5_000)
      world.observe('further calls', (await world.evictionCalls()) - before)
    },
  },
]

function isGoing(body: Record<string, unknown>): boolean {
  return (body['metadata'] as { deletionTimestamp?: string }).deletionTimestamp !== undefined
}

const unready = { 'lifeboat.test/never-ready': 'true' }

const budgets: readonly EvacuationScenario[] = [
  {
    name: 'an unready pod under IfHealthyBudget is refused while too few are healthy, and goes once they are enough',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: unready, ready: false })
      const policy = { minAvailable: 1, unhealthyPodEvictionPolicy: 'IfHealthyBudget' }
      await arrangeBudget(world, 'web', policy, { currentHealthy: 0, desiredHealthy: 1, observedGeneration: 1 })
      await evacuate(world, pod)
      await becomes(world, pod, 'it is refused', ({ status }) => status.failedEvictionCounter >= 1)
      await arrangePod(world, 'healthy')
      await isOver(world, pod)
    },
  },
  {
    name: 'an unready pod under AlwaysAllow goes at once',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: unready, ready: false })
      const policy = { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' }
      await arrangeBudget(world, 'web', policy, { currentHealthy: 0, desiredHealthy: 1, observedGeneration: 1 })
      await evacuate(world, pod)
      await isOver(world, pod)
      world.observe('eviction calls', await world.evictionCalls())
    },
  },
  {
    name: 'an unready pod goes when its budget is changed to AlwaysAllow',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: unready, ready: false })
      await arrangeBudget(
        world,
        'web',
        { minAvailable: 1 },
        { currentHealthy: 0, desiredHealthy: 1, observedGeneration: 1 },
      )
      await evacuate(world, pod)
      await becomes(world, pod, 'it is refused', ({ status }) => status.failedEvictionCounter >= 1)
      const spec = { unhealthyPodEvictionPolicy: 'AlwaysAllow' }
      await world.arrange('PATCH', `${budgetsPath}/web`, { spec }, merge)
      await isOver(world, pod)
    },
  },
  {
    name: 'a pod under two budgets is refused with both of them named, and goes when one is left',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world)
      for (const name of ['one', 'two'])
        await arrangeBudget(world, name, { minAvailable: 0 }, { currentHealthy: 1, observedGeneration: 1 })
      await evacuate(world, pod)
      await becomes(world, pod, 'it is refused', ({ status }) => status.failedEvictionCounter >= 1)
      await world.arrange('DELETE', `${budgetsPath}/two`)
      await isOver(world, pod)
    },
  },
]

const removeFinalizer = (world: EvacuationWorld, pod: PodKey, finalizers: readonly string[]) =>
  world.arrange('PATCH', pathOf(pod), { metadata: { finalizers } }, merge)

const other = 'evacuation.coordination.k8s.io/instigator_other.example.com'

const collection: readonly EvacuationScenario[] = [
  {
    name: '"There are no instigator finalizers (instigators have canceled their intent to evacuate the pod) and .status.evacuationCancellationPolicy is set to Allow.": two instigators, one withdraws, it stays; the second withdraws, it is cancelled',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: { [priorityOf(third)]: '5' } })
      await evacuate(world, pod, { finalizers: [instigator, other] })
      await isActive(world, pod, third)
      await removeFinalizer(world, pod, [other])
      await stays(world, pod)
      world.observe('it is still there', (await look(world, pod))?.metadata.finalizers)
      await removeFinalizer(world, pod, [])
      await isGone(world, pathOf(pod))
      await stays(world, pod)
    },
  },
  {
    name: 'under Forbid it goes on without instigators until the pod is gone',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: { [priorityOf(third)]: '5' } })
      await evacuate(world, pod)
      await isActive(world, pod, third)
      await report(world, pod, { evacuationCancellationPolicy: 'Forbid' })
      await removeFinalizer(world, pod, [])
      await stays(world, pod)
      await world.send('DELETE', pathOf(pod))
      world.observe('it is still there', (await look(world, pod))?.status.evacuationCancellationPolicy)
      await report(world, pod, { activeEvacuatorCompleted: true })
      await isOver(world, pod)
    },
  },
  {
    name: 'an evacuator that holds it to roll back does not keep it from being cancelled',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: { [priorityOf(third)]: '5' } })
      const hold = `evacuation.coordination.k8s.io/instigator_${third}`
      await evacuate(world, pod, { finalizers: [instigator, hold] })
      await isActive(world, pod, third)
      await removeFinalizer(world, pod, [hold])
      await becomes(world, pod, 'it is being cancelled', ({ metadata }) => metadata.deletionTimestamp !== undefined)
      await removeFinalizer(world, pod, [])
      await isGone(world, pathOf(pod))
      await stays(world, pod)
    },
  },
  {
    name: '"The referenced pod no longer exists (has been deleted from etcd), signaling a successful evacuation." "we will also remove instigator finalizers [...] when the evacuation task is complete. Other finalizers will still block deletion."',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: { [priorityOf(third)]: '5' } })
      const hold = `evacuation.coordination.k8s.io/instigator_${third}`
      await evacuate(world, pod, { finalizers: [instigator, other, hold, 'example.com/report'] })
      await isActive(world, pod, third)
      await world.arrange('DELETE', `${podsPath}/${pod.name}`)
      const { metadata } = await becomes(
        world,
        pod,
        'only the finalizer of others is left',
        (seen) => seen.metadata.finalizers?.length === 1 && seen.metadata.deletionTimestamp !== undefined,
      )
      world.observe('finalizers', metadata.finalizers)
      await removeFinalizer(world, pod, [])
      await isGone(world, pathOf(pod))
    },
  },
  {
    name: 'an Evacuation for one pod never touches the next one of the same name, however soon that comes',
    run: async (world) => {
      await arrangeOneNode(world)
      // Nobody else than this ends them: kwok would do so by name, and could end the next one.
      const left = { annotations: { 'lifeboat.test/terminate-after': 'never' } }
      for (let round = 0; round < 10; round++) {
        const pod = await arrangePod(world, 'web', left)
        const spec = { nodeSelector: { scenario: world.namespace }, containers: [{ name: 'main', image: 'web:1' }] }
        const next = { metadata: { name: 'web', namespace: 'NS', ...left }, spec }
        const now = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 }
        const [, , created] = await Promise.all([
          world.attempt('POST', evacuationsPath, evacuationOf(pod)),
          world.attempt('DELETE', `${podsPath}/web`, now),
          replaceAtOnce(world, next),
        ])
        await isGone(world, pathOf(pod))
        await stays(world, created, 300)
        await world.arrange('DELETE', `${podsPath}/web`, now)
        await isGone(world, `${podsPath}/web`)
      }
    },
  },
]

/** Tries until the name is free. */
async function replaceAtOnce(world: EvacuationWorld, pod: object): Promise<PodKey> {
  const { body } = await world.eventually(
    'the name is free',
    () => world.attempt('POST', podsPath, pod),
    ({ status }) => status === 201,
  )
  return keyOf(body)
}

export const evacuationScenarios: readonly EvacuationScenario[] = [
  ...selection,
  tenHandOver,
  ...eviction,
  ...budgets,
  ...collection,
]
