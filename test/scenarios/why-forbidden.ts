import { evacuationName } from '../../src/api/evacuation/evacuation-name.ts'
import type { CommandScenario, CommandWorld } from './drain-several.ts'
import { arrangePod, becomes, evacuate, isGone, pathOf, podsPath, priorityOf, report, stays } from './lifeboat-world.ts'
import { arrangeNodes, merge } from './workload-world.ts'

const evacuatorClass = 'backup.example.com'
const patchOf = /kubectl patch evacuation (\S+) -n (\S+) --subresource=status --type=merge -p '(.*)'/

/** The patch that `lifeboat why` offers: of which Evacuation, and its body. */
async function offered(world: CommandWorld): Promise<{ readonly name: string; readonly body: unknown }> {
  const text = (await world.command('why', 'web', '-n', 'NS')).join('\n')
  const named = `evacuator ${evacuatorClass} set evacuationCancellationPolicy to Forbid`
  if (!text.includes(named)) throw new Error(`why does not say who forbids the cancellation: ${text}`)
  const [, name = '', namespace, body = ''] = patchOf.exec(text) ?? []
  if (namespace !== world.namespace) throw new Error(`why offers no patch: ${text}`)
  return { name, body: JSON.parse(body) as unknown }
}

export const whyForbiddenScenarios: readonly CommandScenario[] = [
  {
    name: '`lifeboat why` names who forbids a cancellation, and the patch that it offers ends the evacuation; the pod stays',
    run: async (world) => {
      await arrangeNodes(world, 1)
      const pod = await arrangePod(world, 'web', { annotations: { [priorityOf(evacuatorClass)]: '20000' } })
      await evacuate(world, pod)
      await becomes(world, pod, 'it has its turn', ({ status }) => status.activeEvacuatorClass === evacuatorClass)
      await report(world, pod, { evacuationCancellationPolicy: 'Forbid' })
      await world.arrange('PATCH', pathOf(pod), { metadata: { finalizers: [] } }, merge)
      await stays(world, pod)
      const { name, body } = await offered(world)
      if (name !== evacuationName(pod)) throw new Error(`it offers to patch ${name}`)
      await world.arrange('PATCH', `${pathOf(pod)}/status`, body, merge)
      await isGone(world, pathOf(pod))
      await stays(world, pod)
      world.observe('the pod is there', (await world.read(`${podsPath}/web`)).status)
    },
  },
]
