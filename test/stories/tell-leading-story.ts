import { Registry } from 'prom-client'
import { featureGateDefaults } from '../../src/api/feature-gates.ts'
import { keyOf } from '../../src/kube/client/client.ts'
import { fencedTransport } from '../../src/kube/client/fenced-transport.ts'
import { applyAll } from '../../src/manager/install/apply.ts'
import { claimsLookup } from '../../src/manager/run/claims-lookup.ts'
import { DeschedulingController } from '../../src/manager/descheduling/descheduling-controller.ts'
import { installation } from '../../src/manager/install/installation-names.ts'
import { buildOwnDeschedulingAccess } from '../../src/manager/manifests/descheduler-access.ts'
import { resourceOf } from '../../src/manager/manifests/resources.ts'
import { unmeasuredParts } from '../build/descheduling-parts.ts'
import { buildKube } from '../build/kube.ts'
import type { Leader, LeadingScenario } from '../scenarios/descheduling-in-controller.ts'
import { runDeploymentScenario } from '../scenarios/run-deployment-scenario.ts'
import { started } from '../scenarios/run-evacuation-scenario.ts'
import type { GroundWithAccount } from './lifeboat-grounds.ts'

const { namespace: ownNamespace } = installation
const intervalMs = 1_000

/** The controller runs in the process of the test, with the account and the rights that it has in a cluster. */
export async function tellLeadingStory(
  { name, run }: LeadingScenario,
  ground: GroundWithAccount,
  namespace: string,
): Promise<unknown[]> {
  const admin = buildKube(ground.transport, ground.clock)
  const access = buildOwnDeschedulingAccess(ownNamespace)
  await started(ground, applyAll({ kube: admin, clock: ground.clock }, access))
  const leaders: Leader[] = []
  const lead = (policy: unknown) => {
    const leader = beginLeading(ground, `leader-${leaders.length + 1}`, policy)
    leaders.push(leader)
    return leader
  }
  try {
    return await runDeploymentScenario({ name, run: (world) => run({ ...world, lead }) }, ground, namespace)
  } finally {
    for (const leader of leaders) await leader.loseLead()
    for (const object of access) await started(ground, admin.delete(resourceOf(object), keyOf(object)))
  }
}

function beginLeading(ground: GroundWithAccount, identity: string, first: unknown): Leader {
  const { clock, ownTransport } = ground
  const stop = new AbortController()
  let policy = JSON.stringify(first)
  const kube = buildKube(ownTransport, clock)
  const gates = featureGateDefaults
  const shared = { ...unmeasuredParts, clock, gates, namespace: ownNamespace, events: { record: () => {} } }
  const settings = { ...unmeasuredParts, version: 'test', readPolicy: async () => policy, intervalMs }
  const controller = new DeschedulingController({
    ...shared,
    registry: new Registry(),
    settings: { ...settings, requestTtlMs: undefined },
    kubeWhile: (mayWrite) => buildKube(fencedTransport(ownTransport, mayWrite), clock),
    leaseKube: kube,
    identity,
    claims: claimsLookup({ ...shared, kube }),
  })
  const leading = controller.lead(stop.signal)
  leading.catch(() => {})
  return {
    replacePolicy: (next) => void (policy = JSON.stringify(next)),
    loseLead: async () => {
      stop.abort(new Error('another one leads'))
      await started(ground, leading)
    },
  }
}
