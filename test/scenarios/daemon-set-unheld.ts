import {
  arrangeBare,
  arrangeDaemons,
  daemonOn,
  drain,
  isBlockedBy,
  keep,
  maintenance,
  reach,
  staysMs,
  type DaemonSetScenario,
  type DaemonSetWorld,
} from './daemon-set-evacuation.ts'
import { becomes, isGone, isOver, look, podsPath, type EvacuationSeen, type PodKey } from './lifeboat-world.ts'
import { remove } from './maintenance-world.ts'
import { arrangeNodes, merge, paths } from './workload-world.ts'

// A DaemonSet whose next pod is not held off the node: platforms exclude namespaces from webhooks, networks break,
// people delete what they do not know. Without a hold each deletion brings the pod back, so there must be one at most.

const configuration =
  '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/lifeboat-admission-daemon-set-pods'
const jsonPatch = { contentType: 'application/json-patch+json' }

export async function selectHeld(world: DaemonSetWorld, selector: string, value: object): Promise<void> {
  await world.arrange('PATCH', configuration, [{ op: 'add', path: `/webhooks/0/${selector}`, value }], jsonPatch)
}

/** No namespace but this one is left out. */
const withoutNamespace = {
  matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['NS'] }],
}
/** The controller puts this label on its pods, and the dry run has none. */
export const withoutController = { matchExpressions: [{ key: 'pod-template-generation', operator: 'DoesNotExist' }] }

/** Nobody listens at that port. */
async function pointNowhere(world: DaemonSetWorld): Promise<void> {
  const value = 'https://127.0.0.1:1/pods/hold'
  await world.arrange(
    'PATCH',
    configuration,
    [{ op: 'replace', path: '/webhooks/0/clientConfig/url', value }],
    jsonPatch,
  )
}

async function takeOut(world: DaemonSetWorld): Promise<void> {
  await world.attempt('DELETE', configuration, {})
}

/** Lifeboat puts its webhook right once a minute: whatever breaks it does so again and again. */
async function whileBroken(
  world: DaemonSetWorld,
  doBreak: (world: DaemonSetWorld) => Promise<void>,
  milliseconds: number,
): Promise<void> {
  const endMs = world.nowMs() + milliseconds
  while (world.nowMs() < endMs) {
    await doBreak(world)
    await world.pass(100)
  }
}

/** Breaks it until the pod says so, at no moment less often than otherwise. */
async function saysSo(
  world: DaemonSetWorld,
  doBreak: (world: DaemonSetWorld) => Promise<void>,
  pod: PodKey,
): Promise<void> {
  const isSaid = isBlockedBy('HoldNotCalled')
  const isSeen = (seen: EvacuationSeen | undefined) => seen !== undefined && isSaid(seen)
  for (const endMs = world.nowMs() + saidWithinMs; world.nowMs() < endMs && !isSeen(await look(world, pod));) {
    await whileBroken(world, doBreak, 500)
  }
  await becomes(world, pod, 'it would not be held', isSaid)
}

const saidWithinMs = 150_000

/** How many pods of it came to the node since the drain began: one for each that was deleted in vain. */
function observeReturns(world: DaemonSetWorld, what: string, node: string): void {
  world.observe(what, world.placements.cameTo(node))
}

async function arrangeLogs(world: DaemonSetWorld): Promise<{ readonly node: string; readonly pod: PodKey }> {
  const [node = ''] = await arrangeNodes(world, 1)
  await arrangeDaemons(world, 'logs')
  await reach(world, 'it runs', ['logs:1 on NS-0 runs'])
  const pod = await daemonOn(world, 'logs:1 on NS-0 runs')
  await arrangeBare(world, node)
  await reach(world, 'both run', ['bare:1 on NS-0 runs', 'logs:1 on NS-0 runs'])
  world.placements.reset()
  return { node, pod }
}

async function ends(world: DaemonSetWorld): Promise<void> {
  await reach(world, 'the next one is held', ['logs:1 on NS-0 is held'])
  await remove(world, maintenance)
  await reach(world, 'it is back', ['logs:1 on NS-0 runs'])
}

/** Until its controller has seen the last change, it makes pods as they were. */
async function isObserved(world: DaemonSetWorld, path: string): Promise<void> {
  await world.eventually(
    'its controller sees the change',
    async () => (await world.read(path)).body as { metadata: Generation; status?: Generation },
    ({ metadata, status }) => status?.observedGeneration === metadata.generation,
  )
}

interface Generation {
  readonly generation?: number
  readonly observedGeneration?: number
}

/** As an admin does who wants to grant less: the next start of Lifeboat puts it back. */
async function takeRightToCreatePods(world: DaemonSetWorld): Promise<void> {
  const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/lifeboat'
  const { body } = await world.read(path)
  const rules = body['rules'] as Rule[]
  for (const rule of rules) {
    if (rule.resources.includes('pods')) rule.verbs = rule.verbs.filter((verb) => verb !== 'create')
  }
  await world.arrange('PATCH', path, { rules }, merge)
}

interface Rule {
  readonly resources: readonly string[]
  verbs: readonly string[]
}

export const unheldScenarios: readonly DaemonSetScenario[] = [
  {
    name: 'with the hold webhook out of reach no DaemonSet pod is deleted, all others leave, and the drain ends once it is reached',
    ownCluster: true,
    run: async (world) => {
      const { node, pod } = await arrangeLogs(world)
      await pointNowhere(world)
      await drain(world)
      await isGone(world, `${podsPath}/bare`)
      await saysSo(world, pointNowhere, pod)
      await whileBroken(world, pointNowhere, 15_000)
      observeReturns(world, 'none came back', node)
      await reach(world, 'it is still there', ['logs:1 on NS-0 runs'])
      await world.lifeboat.kill()
      await world.lifeboat.start()
      await isOver(world, pod)
      observeReturns(world, 'still none came back', node)
      await ends(world)
    },
  },
  {
    name: 'with the namespace excluded from the hold webhook no DaemonSet pod is deleted, all others leave, and the drain ends once it is included',
    ownCluster: true,
    run: async (world) => {
      const { node, pod } = await arrangeLogs(world)
      await selectHeld(world, 'namespaceSelector', withoutNamespace)
      try {
        await drain(world)
        await isGone(world, `${podsPath}/bare`)
        await becomes(world, pod, 'it would not be held', isBlockedBy('HoldNotCalled'))
        await world.pass(15_000)
        observeReturns(world, 'none came back', node)
        await reach(world, 'it is still there', ['logs:1 on NS-0 runs'])
      } finally {
        await selectHeld(world, 'namespaceSelector', {})
      }
      await isOver(world, pod)
      observeReturns(world, 'still none came back', node)
      await ends(world)
    },
  },
  {
    name: 'a hold webhook that is removed in mid-drain costs each node one DaemonSet pod at most, and the drain ends once it is back',
    ownCluster: true,
    run: async (world) => {
      const { node, pod } = await arrangeLogs(world)
      await arrangeDaemons(world, 'network', { spec: { priorityClassName: 'system-node-critical' } })
      await reach(world, 'all run', ['bare:1 on NS-0 runs', 'logs:1 on NS-0 runs', 'network:1 on NS-0 runs'])
      const network = await daemonOn(world, 'network:1 on NS-0 runs')
      world.placements.reset()
      // It is deleted while all is well, and gone when nobody holds the next one.
      await keep(world, pod, true)
      await drain(world)
      await isGone(world, `${podsPath}/bare`)
      await reach(world, 'it is going', ['network:1 on NS-0 runs'])
      await takeOut(world)
      await keep(world, pod, false)
      await whileBroken(world, takeOut, 3_000)
      await reach(world, 'it came back', ['logs:1 on NS-0 runs', 'network:1 on NS-0 runs'])
      const back = await daemonOn(world, 'logs:1 on NS-0 runs')
      await saysSo(world, takeOut, back)
      await whileBroken(world, takeOut, 15_000)
      observeReturns(world, 'one came back', node)
      await world.lifeboat.kill()
      await world.lifeboat.start()
      await becomes(world, back, 'its hold failed once', isBlockedBy('CameBackUnheld'))
      await world.pass(staysMs - 20_000)
      await isOver(world, back)
      await isOver(world, network)
      observeReturns(world, 'still one came back', node)
      await reach(world, 'both are held', ['logs:1 on NS-0 is held', 'network:1 on NS-0 is held'])
      await remove(world, maintenance)
      await reach(world, 'both are back', ['logs:1 on NS-0 runs', 'network:1 on NS-0 runs'])
    },
  },
  {
    name: 'a hold webhook that is called for a dry run and not for the DaemonSet controller costs each node one pod in two minutes, also across a restart',
    ownCluster: true,
    run: async (world) => {
      const { node, pod } = await arrangeLogs(world)
      await selectHeld(world, 'objectSelector', withoutController)
      try {
        await drain(world)
        await isGone(world, `${podsPath}/bare`)
        await isOver(world, pod)
        await reach(world, 'it came back', ['logs:1 on NS-0 runs'])
        const back = await daemonOn(world, 'logs:1 on NS-0 runs')
        await becomes(world, back, 'its hold failed', isBlockedBy('CameBackUnheld'))
        await world.pass(15_000)
        await world.lifeboat.kill()
        await world.lifeboat.start()
        await world.pass(15_000)
        await becomes(world, back, 'it says so after a restart', isBlockedBy('CameBackUnheld'))
        observeReturns(world, 'one came back', node)
      } finally {
        await selectHeld(world, 'objectSelector', {})
      }
      const back = await daemonOn(world, 'logs:1 on NS-0 runs')
      await world.pass(staysMs - 40_000)
      await isOver(world, back)
      observeReturns(world, 'still one came back', node)
      await ends(world)
    },
  },
  {
    name: 'without the right to try out pods each node costs one pod in two minutes, as nothing tells beforehand that the next is not held',
    ownCluster: true,
    run: async (world) => {
      const { node, pod } = await arrangeLogs(world)
      await takeRightToCreatePods(world)
      await selectHeld(world, 'namespaceSelector', withoutNamespace)
      try {
        await drain(world)
        await isOver(world, pod)
        await reach(world, 'it came back', ['logs:1 on NS-0 runs'])
        const back = await daemonOn(world, 'logs:1 on NS-0 runs')
        await becomes(world, back, 'its hold failed', isBlockedBy('CameBackUnheld'))
        await world.pass(15_000)
        observeReturns(world, 'one came back', node)
      } finally {
        await selectHeld(world, 'namespaceSelector', {})
      }
      await world.lifeboat.kill()
      await world.lifeboat.start()
      observeReturns(world, 'still one came back', node)
    },
  },
  {
    name: 'a used-up quota, which counts a dry run beside the pod that it stands for, keeps no DaemonSet pod on its node',
    run: async (world) => {
      const { node, pod } = await arrangeLogs(world)
      const quotas = '/api/v1/namespaces/NS/resourcequotas'
      await world.arrange('POST', quotas, { metadata: { name: 'few', namespace: 'NS' }, spec: { hard: { pods: '1' } } })
      // Until it is counted.
      await world.pass(3_000)
      await drain(world)
      await isOver(world, pod)
      observeReturns(world, 'none came back', node)
      await world.pass(5_000)
      observeReturns(world, 'still none came back', node)
      await ends(world)
    },
  },
  {
    name: 'a DaemonSet whose next pod has a higher priority, which is not to be held yet, does not stop the drain',
    run: async (world) => {
      const [node = ''] = await arrangeNodes(world, 1)
      await arrangeDaemons(world, 'anchor')
      await arrangeDaemons(world, 'logs', { strategy: { type: 'OnDelete' } })
      await reach(world, 'both run', ['anchor:1 on NS-0 runs', 'logs:1 on NS-0 runs'])
      const pod = await daemonOn(world, 'logs:1 on NS-0 runs')
      const anchor = await daemonOn(world, 'anchor:1 on NS-0 runs')
      // As long as it is there, the drain does not come to the higher priority.
      await keep(world, anchor, true)
      const spec = { template: { spec: { priorityClassName: 'system-node-critical' } } }
      await world.arrange('PATCH', `${paths.daemonSets}/logs`, { spec }, merge)
      await isObserved(world, `${paths.daemonSets}/logs`)
      world.placements.reset()
      await drain(world)
      await isOver(world, pod)
      await reach(world, 'it came back', ['logs:1 on NS-0 runs'])
      await keep(world, anchor, false)
      await reach(world, 'the anchor is held', ['anchor:1 on NS-0 is held', 'logs:1 on NS-0 runs'])
      const back = await daemonOn(world, 'logs:1 on NS-0 runs')
      await becomes(world, back, 'its turn has come', isBlockedBy('CameBackUnheld'))
      observeReturns(world, 'one came back', node)
      await world.pass(5_000)
      observeReturns(world, 'still one came back', node)
    },
  },
]
