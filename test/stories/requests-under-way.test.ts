import { transportOnRoad } from '../build/transport-on-road.ts'
import { openRoadProxy } from '../cluster/road-proxy.ts'
import { ownCluster } from '../real/own-cluster.ts'
import { roadScenarios, type RoadScenario } from '../scenarios/requests-under-way.ts'
import { Road, type Roadblock } from '../scenarios/road.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import { openEmbedded, openReal, type SwitchedGround } from './lifeboat-grounds.ts'
import { sharedLifeboat, tellStories } from './tell-stories.ts'

interface RoadGround extends SwitchedGround {
  readonly road: Road
}

async function embedded(): Promise<RoadGround> {
  const road = new Road()
  return { ...(await openEmbedded({ wrap: (transport) => transportOnRoad(transport, road) })), road }
}

async function real(): Promise<RoadGround> {
  const road = new Road()
  const cluster = ownCluster()
  const proxy = await openRoadProxy(cluster, road)
  const ground = await openReal(cluster, proxy.kubeconfigPath)
  return {
    ...ground,
    road,
    [Symbol.asyncDispose]: async () => {
      await ground[Symbol.asyncDispose]()
      await proxy[Symbol.asyncDispose]()
    },
  }
}

function tell({ name, run, ownCluster: isAlone }: RoadScenario, ground: RoadGround, namespace: string) {
  const { road } = ground
  const told = {
    name,
    run: async (world: Parameters<Parameters<typeof runMaintenanceScenario>[0]['run']>[0]) => {
      const fill = (text: string) => text.replaceAll('NS', namespace)
      // Others use the same road at the same time.
      const own: Roadblock[] = []
      const block: Parameters<RoadScenario['run']>[0]['block'] = ({ method, path, query = [] }, direction) => {
        const made = road.block({ method, path: fill(path), query: query.map(fill) }, direction)
        own.push(made)
        return made
      }
      try {
        await run({ ...world, block })
      } finally {
        for (const each of own) each.letGo()
      }
    },
  }
  return runMaintenanceScenario(told, isAlone === true ? ground : { ...ground, lifeboat: sharedLifeboat }, namespace)
}

tellStories({ stories: { 'requests-under-way': roadScenarios }, grounds: { embedded, real }, tell })
