import {
  arrangePod,
  becomes,
  evacuate,
  isGone,
  look,
  pathOf,
  priorityOf,
  report,
  stays,
  type EvacuationScenario,
} from './lifeboat-world.ts'
import { arrangeNodes, isReady, merge, paths, podsOf, template } from './workload-world.ts'

const first = 'backup.example.com'
const deployment = 'deployment.apps.k8s.io'

export const cancellationAfterForbid: readonly EvacuationScenario[] = [
  {
    name: 'a Forbid ends with the turn of the evacuator that set it: the Deployment evacuator takes it back, and a withdrawn pod stays',
    run: async (world) => {
      await arrangeNodes(world, 1)
      const selector = { matchLabels: { app: 'web' } }
      const pods = template(world, { annotations: { [priorityOf(first)]: '20000' } })
      const spec = { replicas: 1, selector, template: pods }
      await world.arrange('POST', paths.deployments, { metadata: { name: 'web', namespace: 'NS' }, spec })
      const [seen] = await world.eventually(
        'its pod is ready',
        () => podsOf(world),
        (all) => all.length === 1 && all.every(isReady),
      )
      const pod = { name: seen?.metadata.name ?? '', uid: seen?.metadata.uid ?? '' }
      // So that the replacement waits, and the pod with it.
      await world.arrange('PATCH', `/api/v1/nodes/${world.namespace}-0`, { spec: { unschedulable: true } }, merge)
      await evacuate(world, pod)
      await becomes(world, pod, 'the first has its turn', ({ status }) => status.activeEvacuatorClass === first)
      await report(world, pod, { evacuationCancellationPolicy: 'Forbid' })
      await report(world, pod, { activeEvacuatorCompleted: true })
      await world.eventually(
        'the next one allows the cancellation',
        async () => (await look(world, pod))?.status,
        (status) => status?.activeEvacuatorClass === deployment && status.evacuationCancellationPolicy === 'Allow',
      )
      await world.arrange('PATCH', pathOf(pod), { metadata: { finalizers: [] } }, merge)
      await isGone(world, pathOf(pod))
      await stays(world, pod)
    },
  },
  {
    name: 'a Forbid is lifted by hand: until then neither a deletion nor a withdrawal ends the evacuation, afterwards it ends and the pod stays',
    run: async (world) => {
      await arrangeNodes(world, 1)
      const pod = await arrangePod(world, 'web', { annotations: { [priorityOf(first)]: '20000' } })
      await evacuate(world, pod)
      await becomes(world, pod, 'the first has its turn', ({ status }) => status.activeEvacuatorClass === first)
      await report(world, pod, { evacuationCancellationPolicy: 'Forbid' })
      const refused = await world.attempt('DELETE', pathOf(pod), undefined)
      if (refused.status !== 403) throw new Error(`the deletion should be refused: ${refused.status}`)
      await world.arrange('PATCH', pathOf(pod), { metadata: { finalizers: [] } }, merge)
      await stays(world, pod)
      const seen = await look(world, pod)
      if (seen?.status.evacuationCancellationPolicy !== 'Forbid') throw new Error('the evacuation should be there')
      // As `lifeboat why` says.
      await report(world, pod, { evacuationCancellationPolicy: 'Allow' })
      await isGone(world, pathOf(pod))
      await stays(world, pod)
    },
  },
]
