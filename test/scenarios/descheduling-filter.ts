import {
  arrangeMachine,
  arrangeProtectable,
  everybody,
  evictable,
  isMoving,
  policyFor,
  policyWith,
  seeCycle,
  type DeschedulingScenario,
  type DeschedulingWorld,
  type StoryDescheduler,
} from './descheduling-world.ts'
import { evacuate, evacuationsPath, isGone, look, pathOf, podsPath, stays } from './lifeboat-world.ts'
import { arrangeNodes, merge, paths, template } from './workload-world.ts'

// KEP-1397: pods that have a request are filtered out, whoever asked, and so is whatever DefaultEvictor protects.

interface Owner {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
}

async function arrangeOwner(world: DeschedulingWorld, path: string, owner: Omit<Owner, 'uid'>, body: object) {
  const metadata = { name: owner.name, namespace: 'NS' }
  const { body: made } = await world.arrange('POST', path, { metadata, ...body })
  return { ...owner, uid: (made['metadata'] as Owner).uid }
}

/** They want no pods of their own, and no controller looks after pods that only refer to them. */
async function arrangeOwners(world: DeschedulingWorld): Promise<{ readonly owned: Owner; readonly daemon: Owner }> {
  const replicaSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'owner' }
  const daemonSet = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'owner' }
  const labels = { app: 'nobody' }
  const nowhere = { nodeSelector: { scenario: 'none' } }
  const spec = {
    selector: { matchLabels: labels },
    template: { ...template(world, { spec: nowhere }), metadata: { labels } },
  }
  return {
    owned: await arrangeOwner(world, paths.replicaSets, replicaSet, { spec: { ...spec, replicas: 0 } }),
    daemon: await arrangeOwner(world, paths.daemonSets, daemonSet, { spec }),
  }
}

async function seeFiltered(world: DeschedulingWorld, what: string, descheduler: StoryDescheduler): Promise<void> {
  const { asked, leaving, spared } = await descheduler.cycle()
  // The oldest go first, and these are of about the same age.
  world.observe(what, { asked: asked.toSorted(), leaving, spared })
}

/** Who wants the pods of this namespace gone, in no order. */
async function instigatorsSeen(world: DeschedulingWorld): Promise<unknown> {
  const { body } = await world.read(evacuationsPath)
  const items = body['items'] as { spec: { podRef: { name: string } }; metadata: { finalizers?: string[] } }[]
  const entries = items.map(({ spec, metadata: { finalizers = [] } }) => [
    spec.podRef.name,
    finalizers.map((finalizer) => finalizer.replace(/^.*\//, '')).toSorted(),
  ])
  return Object.fromEntries(entries)
}

export const filterScenarios: readonly DeschedulingScenario[] = [
  {
    name: 'filter: what DefaultEvictor protects stays and says why, also after a restart',
    run: async (world) => {
      await arrangeNodes(world, 2)
      const { owned, daemon } = await arrangeOwners(world)
      const ownerReferences = [owned]
      const emptyDir = {
        containers: [{ name: 'main', image: 'web:1' }],
        volumes: [{ name: 'scratch', emptyDir: {} }],
      }
      await arrangeProtectable(world, 'plain', { ownerReferences })
      await arrangeProtectable(world, 'bare')
      await arrangeProtectable(world, 'bare-evictable', { annotations: evictable })
      await arrangeProtectable(world, 'daemon', { ownerReferences: [daemon] })
      await arrangeProtectable(world, 'daemon-evictable', { ownerReferences: [daemon], annotations: evictable })
      await arrangeProtectable(world, 'scratch', { ownerReferences, spec: emptyDir })
      const rather = { 'descheduler.alpha.kubernetes.io/prefer-no-eviction': '' }
      await arrangeProtectable(world, 'settled', { ownerReferences, annotations: rather })
      await arrangeProtectable(world, 'ending', { ownerReferences, finalizers: ['example.com/keeper'] })
      await world.arrange('DELETE', `${podsPath}/ending`)
      const evictor = { noEvictionPolicy: 'Mandatory' }
      const policy = policyWith(world, { story: { ...everybody(world), evictor } })
      const descheduler = await world.startDescheduler(policy)
      await seeFiltered(world, 'two are asked', descheduler)
      await seeFiltered(world, 'the same stay', await world.startDescheduler(policy))
      await world.arrange('PATCH', `${podsPath}/scratch`, { metadata: { annotations: evictable } }, merge)
      await seeFiltered(world, 'one is free to go', await world.startDescheduler(policy))
      world.observe('wanted gone by', await instigatorsSeen(world))
    },
  },
  {
    name: 'filter: a pod that somebody else wants gone is not asked for until they have given up',
    run: async (world) => {
      await arrangeNodes(world, 2)
      const theirs = await arrangeMachine(world, 'theirs')
      await arrangeMachine(world, 'ours', { node: 1 })
      await evacuate(world, theirs)
      await isMoving(world, theirs)
      const descheduler = await world.startDescheduler(policyFor(world))
      await seeCycle(world, 'one is asked', descheduler)
      await seeCycle(world, 'and none twice', await world.startDescheduler(policyFor(world)))
      world.observe('wanted gone by', await instigatorsSeen(world))
      await world.arrange('PATCH', pathOf(theirs), { metadata: { finalizers: null } }, merge)
      await world.attempt('DELETE', pathOf(theirs), {})
      await isGone(world, pathOf(theirs))
      await stays(world, theirs)
      await seeCycle(world, 'the other one is asked', await world.startDescheduler(policyFor(world)))
      const seen = await look(world, theirs)
      world.observe('by', seen?.metadata.finalizers)
    },
  },
  {
    name: 'filter: what one strategy asked for the next one does not see, nor does it in the next process',
    run: async (world) => {
      await arrangeNodes(world, 2)
      await arrangeMachine(world, 'a')
      await arrangeMachine(world, 'b', { node: 1 })
      const plugins = everybody(world)
      const policy = policyWith(world, { one: plugins, two: plugins })
      await seeCycle(world, 'each is asked once', await world.startDescheduler(policy))
      await seeCycle(world, 'each leaves once', await world.startDescheduler(policy))
      world.observe('wanted gone by', await instigatorsSeen(world))
    },
  },
]
