import { describe, expect, test } from 'vitest'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import { admissionObjects, isOurs, pointToTheSame, switchedOff } from './admission-objects.ts'

const namespace = 'lifeboat-system'
const evictTime = { evictTimeBy: ['policy'], controllerEvictTimeout: '60s' } as const
const both = { evictTimeBy: ['policy', 'webhook'], controllerEvictTimeout: '60s' } as const
const client = (path: string) => ({ url: `https://here${path}`, caBundle: 'Y2E=' })
const named = (objects: readonly { kind?: string; metadata: { name?: string } }[]) =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)

describe('what the gates ask for', () => {
  test('is everything when all are on, each policy before its binding', () => {
    const { wanted, unwanted } = admissionObjects({ gates: featureGateDefaults, namespace, client, ...evictTime })
    expect(named(wanted)).toEqual([
      'ValidatingAdmissionPolicy lifeboat-own-account',
      'ValidatingAdmissionPolicyBinding lifeboat-own-account',
      'ValidatingAdmissionPolicy lifeboat-evacuation-rights',
      'ValidatingAdmissionPolicyBinding lifeboat-evacuation-rights',
      'ValidatingAdmissionPolicy lifeboat-evacuator-annotations',
      'ValidatingAdmissionPolicyBinding lifeboat-evacuator-annotations',
      'ValidatingAdmissionPolicy lifeboat-evict-policy',
      'ValidatingAdmissionPolicyBinding lifeboat-evict-policy',
      'MutatingAdmissionPolicy lifeboat-evict-time',
      'MutatingAdmissionPolicyBinding lifeboat-evict-time',
      'ValidatingAdmissionPolicy lifeboat-cordon',
      'ValidatingAdmissionPolicyBinding lifeboat-cordon',
      'MutatingWebhookConfiguration lifeboat-admission-node-maintenances',
      'ValidatingWebhookConfiguration lifeboat-admission-node-maintenances',
      'MutatingWebhookConfiguration lifeboat-admission-daemon-set-pods',
      'ValidatingWebhookConfiguration lifeboat-admission-evictions',
      'MutatingWebhookConfiguration lifeboat-admission-evacuations',
    ])
    expect(named(unwanted)).toEqual(['MutatingWebhookConfiguration lifeboat-admission-evict-time'])
    expect(wanted.filter((object) => !isOurs(object))).toEqual([])
    expect(JSON.stringify(wanted)).toContain('system:serviceaccount:lifeboat-system:lifeboat')
  })

  test.each([
    { off: 'EvictionInterception', unwanted: ['ValidatingWebhookConfiguration lifeboat-admission-evictions'] },
    {
      off: 'NodeMaintenanceAwareDaemonSet',
      unwanted: ['MutatingWebhookConfiguration lifeboat-admission-daemon-set-pods'],
    },
    {
      off: 'PodEvictPolicy',
      unwanted: [
        'ValidatingAdmissionPolicy lifeboat-evict-policy',
        'ValidatingAdmissionPolicyBinding lifeboat-evict-policy',
        'MutatingAdmissionPolicy lifeboat-evict-time',
        'MutatingAdmissionPolicyBinding lifeboat-evict-time',
        'MutatingWebhookConfiguration lifeboat-admission-evict-time',
      ],
    },
    {
      off: 'DeclarativeNodeMaintenance',
      unwanted: [
        'ValidatingAdmissionPolicy lifeboat-cordon',
        'ValidatingAdmissionPolicyBinding lifeboat-cordon',
        'MutatingWebhookConfiguration lifeboat-admission-node-maintenances',
        'ValidatingWebhookConfiguration lifeboat-admission-node-maintenances',
        'MutatingWebhookConfiguration lifeboat-admission-daemon-set-pods',
      ],
    },
  ])('leaves out what $off brings', ({ off, unwanted }) => {
    const gates = { ...featureGateDefaults, [off]: false }
    const objects = admissionObjects({ gates, namespace, client, ...both })
    expect(named(objects.unwanted)).toEqual(unwanted)
    expect(objects.wanted).toHaveLength(18 - unwanted.length)
  })

  test('is a webhook where the policy that makes time cannot be', () => {
    const webhook = { evictTimeBy: ['webhook'], controllerEvictTimeout: '60s' } as const
    const { wanted, unwanted } = admissionObjects({ gates: featureGateDefaults, namespace, client, ...webhook })
    expect(named(wanted)).toContain('MutatingWebhookConfiguration lifeboat-admission-evict-time')
    expect(named(unwanted)).toEqual([
      'MutatingAdmissionPolicy lifeboat-evict-time',
      'MutatingAdmissionPolicyBinding lifeboat-evict-time',
    ])
  })

  test('is what limits its own account, and who may write an Evacuation, without the API itself', () => {
    const gates = { ...featureGateDefaults, EvacuationAPI: false }
    const { wanted, unwanted } = admissionObjects({ gates, namespace, client: undefined, ...evictTime })
    expect(named(wanted)).toEqual([
      'ValidatingAdmissionPolicy lifeboat-own-account',
      'ValidatingAdmissionPolicyBinding lifeboat-own-account',
      'ValidatingAdmissionPolicy lifeboat-evacuation-rights',
      'ValidatingAdmissionPolicyBinding lifeboat-evacuation-rights',
    ])
    expect(unwanted).toHaveLength(14)
  })
})

test('two configurations lead to the same place, whatever their certificates', () => {
  const at = (url: string, caBundle: string) => ({ webhooks: [{ clientConfig: { url, caBundle } }] })
  expect(pointToTheSame(at('https://a/x', '1'), at('https://a/x', '2'))).toBe(true)
  expect(pointToTheSame(at('https://a/x', '1'), at('https://b/x', '1'))).toBe(false)
  const service = (name: string) => ({ webhooks: [{ clientConfig: { service: { name } } }] })
  expect(pointToTheSame(service('a'), service('b'))).toBe(false)
})

test('switched off, webhooks are none, and a policy applies to nothing', () => {
  const { wanted } = admissionObjects({ gates: featureGateDefaults, namespace, client, ...evictTime })
  const off = wanted.map((object) => switchedOff(object))
  expect(off.filter((object) => object === undefined)).toHaveLength(6)
  expect(off[0]).toMatchObject({ spec: { matchConditions: [{ expression: 'false' }] } })
  expect(off[0]).toHaveProperty('spec.validations')
  expect(off[8]).toMatchObject({
    kind: 'MutatingAdmissionPolicy',
    spec: { matchConditions: [{ expression: 'false' }] },
  })
  expect(off[12]).toMatchObject({ metadata: { name: 'lifeboat-admission-node-maintenances' }, webhooks: [] })
})

test.each([
  { labels: { 'app.kubernetes.io/managed-by': 'lifeboat' }, is: true },
  { labels: { 'app.kubernetes.io/managed-by': 'Helm', 'app.kubernetes.io/name': 'lifeboat' }, is: true },
  { labels: { 'app.kubernetes.io/managed-by': 'Helm', 'app.kubernetes.io/name': 'other' }, is: false },
  { labels: { 'app.kubernetes.io/name': 'lifeboat' }, is: false },
])('an object labelled $labels is ours: $is', ({ labels, is }) => {
  expect(isOurs({ metadata: { name: 'x', labels } })).toBe(is)
})
