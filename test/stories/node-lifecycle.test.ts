import { setTimeout as pause } from 'node:timers/promises'
import { openVirtualCluster } from '../build/virtual-cluster.ts'
import { watchChanges } from '../cluster/changes.ts'
import { startCluster } from '../cluster/cluster.ts'
import { connectTransport } from '../cluster/connect.ts'
import { nodeLifecycleScenarios } from '../scenarios/node-lifecycle.ts'
import { runScenario } from '../scenarios/run-scenario.ts'
import type { Ground, Scenario } from '../scenarios/scenario.ts'
import { tellStories } from './tell-stories.ts'

interface ManagedGround extends Ground {
  restartControllerManager(): Promise<void>
}

const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }

async function embedded(): Promise<ManagedGround> {
  const { clock, cluster } = await openVirtualCluster()
  return {
    name: 'the embedded cluster',
    transport: cluster.transport(admin),
    pass: (milliseconds) => clock.advance(milliseconds),
    restartControllerManager: () => cluster.restartControllerManager(),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

/** Its own, because a part of it is killed. */
async function real(): Promise<ManagedGround> {
  const cluster = await startCluster()
  const transport = await connectTransport(cluster)
  const changes = await watchChanges(cluster.etcdServer)
  return {
    name: 'the real cluster',
    transport,
    isShared: true,
    changes,
    pass: (milliseconds) => pause(milliseconds),
    restartControllerManager: async () => {
      await cluster.stop('kube-controller-manager', 'SIGKILL')
      await cluster.start('kube-controller-manager')
    },
    [Symbol.asyncDispose]: async () => {
      await changes[Symbol.asyncDispose]()
      await transport.close()
      await cluster[Symbol.asyncDispose]()
    },
  }
}

tellStories({
  stories: { 'node-lifecycle': nodeLifecycleScenarios },
  grounds: { embedded, real },
  tell: async ({ name, run }, ground, namespace) => {
    const more = {
      pass: (milliseconds: number) => ground.pass(milliseconds),
      restartControllerManager: () => ground.restartControllerManager(),
    }
    const scenario: Scenario = { name, run: (world) => run({ ...world, ...more }) }
    return await runScenario(scenario, ground, namespace)
  },
})
