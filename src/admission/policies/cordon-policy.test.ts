import { expect, test } from 'vitest'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildCordonPolicy } from './cordon-policy.ts'

const lifeboat = 'system:serviceaccount:lifeboat-system:lifeboat'
const annotation = 'nodemaintenance.k8s.io/maintenance-status'
const registration = '/apis/admissionregistration.k8s.io/v1'
const underMaintenance = { annotations: { [annotation]: '{}' } }

const saying = (words: string) =>
  `Validation failed for ValidatingAdmissionPolicy 'lifeboat-cordon' with binding 'lifeboat-cordon': node six is under maintenance (nodemaintenance.k8s.io): ${words}`
const uncordonedInVain = saying('it will be cordoned again. Complete the NodeMaintenance to make it schedulable')
const cordonedInVain = saying(
  'it is cordoned anyway and becomes schedulable again when that completes. Cordon it afterwards if it should stay so',
)

interface Row {
  readonly name: string
  readonly node?: { readonly metadata?: object; readonly spec?: object }
  readonly patch: object
  readonly byLifeboat?: boolean
  readonly expected: readonly string[]
}

const cordoned = { spec: { unschedulable: true } }
const uncordoned = { spec: { unschedulable: false } }

test.each<Row>([
  {
    name: 'an uncordon',
    node: { metadata: underMaintenance, ...cordoned },
    patch: uncordoned,
    expected: [uncordonedInVain],
  },
  {
    name: 'an uncordon by taking the field away',
    node: { metadata: underMaintenance, ...cordoned },
    patch: { spec: { unschedulable: null } },
    expected: [uncordonedInVain],
  },
  {
    name: 'an uncordon that takes the annotation off too',
    node: { metadata: underMaintenance, ...cordoned },
    patch: { ...uncordoned, metadata: { annotations: { [annotation]: null } } },
    expected: [uncordonedInVain],
  },
  { name: 'a cordon', node: { metadata: underMaintenance }, patch: cordoned, expected: [cordonedInVain] },
  {
    name: 'a cordon of a cordoned node',
    node: { metadata: underMaintenance, ...cordoned },
    patch: cordoned,
    expected: [],
  },
  {
    name: 'a label',
    node: { metadata: underMaintenance, ...cordoned },
    patch: { metadata: { labels: { a: 'b' } } },
    expected: [],
  },
  {
    name: 'an uncordon by Lifeboat',
    node: { metadata: underMaintenance, ...cordoned },
    patch: uncordoned,
    byLifeboat: true,
    expected: [],
  },
  { name: 'an uncordon of any other node', node: cordoned, patch: uncordoned, expected: [] },
  {
    name: 'a cordon of any other node',
    node: { metadata: { annotations: { a: 'b' } } },
    patch: cordoned,
    expected: [],
  },
])('$name: $expected', async ({ node = {}, patch, byLifeboat = false, expected }) => {
  const { send, admin } = buildServer()
  const [policy, binding] = buildCordonPolicy(byLifeboat ? admin.name : lifeboat)
  await send('POST', `${registration}/validatingadmissionpolicies`, policy)
  await send('POST', `${registration}/validatingadmissionpolicybindings`, binding)
  await send('POST', '/api/v1/nodes', { ...node, metadata: { name: 'six', ...node.metadata } })
  const answer = await send('PATCH', '/api/v1/nodes/six', patch, { contentType: 'application/merge-patch+json' })
  expect(answer.status).toBe(200)
  expect(answer.headers['warning'] ?? []).toEqual(expected.map((text) => `299 - "${text}"`))
})
