import { expect, test } from 'vitest'
import { buildAppDeployment, buildAppPod, buildAppReplicaSet } from '../../../test/build/deployment-view.ts'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import { evacuatorClasses } from '../../api/names.ts'
import { claimsOf, workloadEvacuatorsFor } from './workload-evacuators.ts'

const workloadEvacuators = workloadEvacuatorsFor(featureGateDefaults, 'lifeboat-system')

test('every evacuator has a class of its own, one that others know', () => {
  const classes = workloadEvacuators.map(({ evacuatorClass }) => evacuatorClass)
  expect(classes.toSorted()).toEqual(Object.values(evacuatorClasses).toSorted())
})

test.each([
  { gate: 'NodeMaintenanceAwareDaemonSet', evacuatorClass: evacuatorClasses.daemonSet },
  { gate: 'NodeMaintenanceAwareKubelet', evacuatorClass: evacuatorClasses.kubelet },
])('the gate $gate takes out $evacuatorClass', ({ gate, evacuatorClass }) => {
  const left = workloadEvacuatorsFor({ ...featureGateDefaults, [gate]: false }, 'lifeboat-system')
  expect(left.map((each) => each.evacuatorClass)).not.toContain(evacuatorClass)
  expect(left).toHaveLength(workloadEvacuators.length - 1)
})

test('of all evacuators those answer that claim the pod', async () => {
  const objects = [buildAppReplicaSet(1), buildAppDeployment()]
  const kube = {
    get: async (_: unknown, { name }: { name: string }) => objects.find(({ metadata }) => metadata.name === name),
    list: async () => ({ items: [], resourceVersion: '1' }),
  } as unknown as Parameters<typeof claimsOf>[1]
  const claims = await claimsOf(workloadEvacuators, kube, buildAppPod('a'))
  expect(claims).toEqual([{ evacuatorClass: evacuatorClasses.deployment, priority: 10_000, role: 'controller' }])
})

test('a bare pod costs no request', async () => {
  const kube = { get: () => Promise.reject(new Error('asked')), list: () => Promise.reject(new Error('asked')) }
  const pod = buildAppPod('a', { owner: 'none' })
  expect(await claimsOf(workloadEvacuators, kube as unknown as Parameters<typeof claimsOf>[1], pod)).toEqual([])
})
