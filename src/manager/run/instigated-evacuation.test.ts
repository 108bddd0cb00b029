import { buildEvacuation } from '../../evacuation-client/build-evacuation.ts'
import { expect, test } from 'vitest'
import { openLifeboatGround, type LifeboatGround } from '../../../test/build/lifeboat.ts'
import { buildDeployment } from '../../../test/build/nodes-and-pods.ts'
import { evacuations } from '../../api/evacuation/evacuation.ts'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { deployments, pods } from '../../api/kubernetes/resources.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { claimsLookup } from './claims-lookup.ts'
import { deschedulerInstigator } from './instigators.ts'

const { signal } = new AbortController()
const instigator = 'descheduler.sigs.k8s.io'
const machines = { 'evacuation.coordination.k8s.io/priority_machines.example.com': '11000' }

const partsOf = ({ admin, clock }: LifeboatGround) => ({
  kube: admin,
  clock,
  gates: featureGateDefaults,
  namespace: 'lifeboat-system',
  events: { record: () => {} },
})

test.each([
  { name: 'of a Deployment', annotations: {} },
  { name: 'of a Deployment, with an evacuator of its own', annotations: machines },
])('the Evacuation of a pod $name is as the webhook would complete it', async ({ annotations }) => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  await using opened = await ground.open()
  await ground.until(opened.manager.ready())
  const choices = { name: 'web', namespace: 'default', replicas: 1, podAnnotations: annotations }
  await ground.until(ground.admin.create(deployments, buildDeployment(choices)))
  await ground.pass(5_000)
  const [found] = (await ground.until(ground.admin.list(pods, { namespace: 'default' }))).items
  const plain = buildEvacuation({ instigator, pod: podRefOf(found as Pod) })
  const completed = await ground.until(ground.admin.create(evacuations, plain, { dryRun: true }))
  const parts = partsOf(ground)
  await ground.stop(opened)
  const instigating = deschedulerInstigator({ ...parts, claims: claimsLookup(parts) })
  const outcome = await ground.until(instigating.request(found as Pod, signal))
  if (outcome.kind !== 'requested') throw new Error(outcome.kind)
  const { metadata, spec } = outcome.evacuation
  expect(completed.spec.evacuators).toHaveLength(annotations === machines ? 2 : 1)
  expect(spec).toEqual(completed.spec)
  expect(metadata.labels).toEqual(completed.metadata.labels)
  expect(metadata.annotations).toEqual(completed.metadata.annotations)
  // A built-in evacuator that begins has its hold from the start.
  expect(metadata.finalizers).toEqual([
    ...(completed.metadata.finalizers ?? []),
    ...(annotations !== machines ? ['evacuation.coordination.k8s.io/instigator_deployment.apps.k8s.io'] : []),
  ])
})

test('annotations of the one who asks stand on it', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const pod = await ground.createPod('web')
  const parts = partsOf(ground)
  const instigating = deschedulerInstigator({ ...parts, claims: claimsLookup(parts) })
  const outcome = await ground.until(instigating.request(pod, signal, { why: 'a drill' }))
  expect(outcome).toMatchObject({
    kind: 'requested',
    evacuation: { metadata: { annotations: { why: 'a drill', 'evacuation.coordination.k8s.io/node': 'node-1' } } },
  })
})
