import { expect, test } from 'vitest'
import { buildAppDeployment, buildAppPod, buildAppReplicaSet } from '../../../test/build/deployment-view.ts'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import { evacuatorClasses } from '../../api/names.ts'
import { claimsOf, workloadEvacuators, workloadEvacuatorsFor } from './workload-evacuators.ts'

test('every evacuator has a class of its own, one that others know', () => {
  const classes = workloadEvacuators.map(({ evacuatorClass }) => evacuatorClass)
  expect(classes.toSorted()).toEqual(Object.values(evacuatorClasses).toSorted())
})

test('a gate that is off takes out the evacuator behind it', () => {
  const off = { ...featureGateDefaults, NodeMaintenanceAwareDaemonSet: false }
  const classes = workloadEvacuatorsFor(off).map(({ evacuatorClass }) => evacuatorClass)
  expect(classes).not.toContain(evacuatorClasses.daemonSet)
  expect(workloadEvacuatorsFor(featureGateDefaults)).toEqual(workloadEvacuators)
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
