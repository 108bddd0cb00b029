import { explain } from '../../src/cli/why/explain.ts'
import type { WhyView } from '../../src/cli/why/report.ts'
import { evacuationsPath, podsPath } from './lifeboat-world.ts'
import {
  announce,
  arrangeMachines,
  becomes,
  lookAtNode,
  maintenancesPath,
  nodePath,
  podIs,
  put,
  type MaintenanceScenario,
  type MaintenanceWorld,
} from './maintenance-world.ts'
import { arrangeDaemons, daemonsAre } from './maintenance-workloads.ts'
import { fallSilent, reportAgain } from './troubled-nodes.ts'
import { isReady, merge } from './workload-world.ts'

// Drains of nodes whose machines do not report. Each story has a zone of its own, so that its silence is no other's.

const outOfService = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }
const drained = 'cordoned by Lifeboat: Drained; 0 pending, 0 evacuating'
const allDrained = 'Drain, held, drained: Drained; 1 of 1 nodes drained; 0 pending, 0 evacuating'

async function arrangeSilentNode(world: MaintenanceWorld): Promise<void> {
  await arrangeMachines(world, ['one', 'two', 'three'], { zone: world.namespace })
  await arrangeDaemons(world, ['logs'])
  await put(world, 'one', 'web')
  await podIs(world, 'it runs', 'web', isReady)
  await daemonsAre(world, 'the DaemonSet is everywhere', { one: 'logs', two: 'logs', three: 'logs' })
  await fallSilent(world, 'NS-one')
  await world.eventually(
    'its pods are to be removed',
    () => lookAtNode(world, 'one'),
    (node) => taintsOf(node).some(({ key, effect }) => key.endsWith('/unreachable') && effect === 'NoExecute'),
  )
}

interface Taint {
  readonly key: string
  readonly effect?: string
}

function taintsOf(node: Awaited<ReturnType<typeof lookAtNode>>): readonly Taint[] {
  return node?.spec.taints ?? []
}

/** The Evacuation says what it waits for, and `lifeboat why` with it. */
async function isExplained(world: MaintenanceWorld): Promise<void> {
  const read = async (path: string) => (await world.read(path)).body
  const kindsOf = (list: { readonly [field: string]: unknown }) =>
    (list['items'] as WhyView['evacuations']).flatMap(({ status }) => status?.blockedBy?.map(({ kind }) => kind) ?? [])
  const blocked = await world.eventually(
    'the silence is named',
    () => read(evacuationsPath),
    (list) => kindsOf(list).includes('silentNode'),
  )
  world.observe('blocked by', kindsOf(blocked))
  const nowMs = world.nowMs()
  const report = explain(
    {
      about: 'node',
      node: (await read(nodePath('one'))) as unknown as NonNullable<WhyView['node']>,
      pods: ((await read(podsPath))['items'] as WhyView['pods']).filter(
        ({ spec }) => spec?.nodeName === `${world.namespace}-one`,
      ),
      evacuations: blocked['items'] as WhyView['evacuations'],
      maintenances: (await read(maintenancesPath))['items'] as WhyView['maintenances'],
    },
    nowMs,
  )
  const web = report.pods.find(({ name }) => name === 'web')
  world.observe(
    'why',
    [web?.phase, web?.reason, web?.message, web?.next].map((said) => withoutTimes(said ?? '')),
  )
}

const withoutTimes = (said: string) => said.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')

export const silentNodeScenarios: readonly MaintenanceScenario[] = [
  {
    name: 'a drain of a silent node says so, and ends when somebody says that the machine is off',
    run: async (world) => {
      await arrangeSilentNode(world)
      await announce(world, 'upgrade', { nodes: ['one'] })
      await isExplained(world)
      const taints = [...taintsOf(await lookAtNode(world, 'one')), outOfService]
      await world.arrange('PATCH', nodePath('one'), { spec: { taints } }, merge)
      await becomes(world, 'it is drained', { nodes: { one: drained }, maintenances: { upgrade: allDrained } })
      await daemonsAre(world, 'the DaemonSet is elsewhere', { one: '', two: 'logs', three: 'logs' })
    },
  },
  {
    name: 'a drain of a silent node ends by itself when the node is back',
    run: async (world) => {
      await arrangeSilentNode(world)
      await announce(world, 'upgrade', { nodes: ['one'] })
      await isExplained(world)
      await reportAgain(world, 'NS-one')
      await becomes(world, 'it is drained', { nodes: { one: drained }, maintenances: { upgrade: allDrained } })
      await daemonsAre(world, 'the DaemonSet is elsewhere', { one: '', two: 'logs', three: 'logs' })
    },
  },
]
