import { describe, expect, test } from 'vitest'
import { compileCel, toCelValue } from '../../embedded/server/schema/cel.ts'
import { buildEvictTimePolicy } from '../policies/evict-time-policy.ts'
import { buildWebhookConfigurations } from './webhook-configurations.ts'

const lifeboat = 'system:serviceaccount:lifeboat-system:lifeboat'
const build = (interception = true, maintenanceHold = true, nodeMaintenances = true, evictTime = true) =>
  buildWebhookConfigurations({
    client: (path) => ({ url: `https://127.0.0.1:8443${path}`, caBundle: 'Q0E=' }),
    serviceAccountUser: lifeboat,
    interception,
    maintenanceHold,
    nodeMaintenances,
    evictTime,
  })

test('there is a configuration for new Evacuations, and the others can go by themselves', () => {
  const names = ({ mutating, validating }: ReturnType<typeof build>) =>
    [...mutating, ...validating].map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  expect(names(build())).toEqual([
    'MutatingWebhookConfiguration lifeboat-admission-evacuations',
    'MutatingWebhookConfiguration lifeboat-admission-daemon-set-pods',
    'MutatingWebhookConfiguration lifeboat-admission-node-maintenances',
    'MutatingWebhookConfiguration lifeboat-admission-evict-time',
    'ValidatingWebhookConfiguration lifeboat-admission-evictions',
    'ValidatingWebhookConfiguration lifeboat-admission-node-maintenances',
  ])
  expect(names(build(false))).not.toContain('ValidatingWebhookConfiguration lifeboat-admission-evictions')
  expect(names(build(true, false))).not.toContain('MutatingWebhookConfiguration lifeboat-admission-daemon-set-pods')
  expect(names(build(true, true, false)).filter((name) => name.endsWith('node-maintenances'))).toEqual([])
  expect(names(build(true, true, true, false)).filter((name) => name.endsWith('evict-time'))).toEqual([])
  for (const { metadata } of [...build().mutating, ...build().validating]) {
    expect(metadata.labels).toEqual({ 'app.kubernetes.io/managed-by': 'lifeboat' })
  }
})

test('without Lifeboat evictions and DaemonSets go on, and new Evacuations and NodeMaintenances do not', () => {
  const { mutating, validating } = build()
  const webhooks = [...mutating, ...validating].flatMap((configuration) => configuration.webhooks)
  expect(
    webhooks.map(({ failurePolicy, timeoutSeconds, sideEffects, clientConfig }) => ({
      failurePolicy,
      timeoutSeconds,
      sideEffects,
      clientConfig,
    })),
  ).toEqual([
    {
      failurePolicy: 'Fail',
      timeoutSeconds: 10,
      sideEffects: 'None',
      clientConfig: { url: 'https://127.0.0.1:8443/evacuations/mutate', caBundle: 'Q0E=' },
    },
    {
      failurePolicy: 'Ignore',
      timeoutSeconds: 5,
      sideEffects: 'None',
      clientConfig: { url: 'https://127.0.0.1:8443/pods/hold', caBundle: 'Q0E=' },
    },
    {
      failurePolicy: 'Fail',
      timeoutSeconds: 10,
      sideEffects: 'None',
      clientConfig: { url: 'https://127.0.0.1:8443/nodemaintenances/mutate', caBundle: 'Q0E=' },
    },
    {
      failurePolicy: 'Ignore',
      timeoutSeconds: 2,
      sideEffects: 'None',
      clientConfig: { url: 'https://127.0.0.1:8443/pods/evict-time', caBundle: 'Q0E=' },
    },
    {
      failurePolicy: 'Ignore',
      timeoutSeconds: 5,
      sideEffects: 'NoneOnDryRun',
      clientConfig: { url: 'https://127.0.0.1:8443/evictions/intercept', caBundle: 'Q0E=' },
    },
    {
      failurePolicy: 'Fail',
      timeoutSeconds: 10,
      sideEffects: 'None',
      clientConfig: { url: 'https://127.0.0.1:8443/nodemaintenances/validate', caBundle: 'Q0E=' },
    },
  ])
})

test('a pod gets time by the webhook where it would by the policy, and no other pod waits for it', () => {
  const webhooks = build().mutating.flatMap((configuration) => configuration.webhooks)
  const webhook = webhooks.find(({ name }) => name.startsWith('evict-time.'))
  const [{ spec }] = buildEvictTimePolicy('60s')
  expect(webhook?.matchConditions).toEqual(spec.matchConditions)
  expect(webhook?.rules).toEqual(spec.matchConstraints.resourceRules)
})

describe('match conditions of NodeMaintenances', () => {
  const collector = 'system:serviceaccount:kube-system:generic-garbage-collector'
  const matches = (request: object) => {
    const [validation] = build().validating[1]?.webhooks ?? []
    return (validation?.matchConditions ?? []).every(({ expression }) => {
      const outcome = compileCel(expression, ['request']).evaluate({ request: toCelValue(request) })
      return outcome.kind === 'value' && outcome.value === true
    })
  }
  test.each([
    { name: 'anybody', username: 'joe', operation: 'DELETE', expected: true },
    { name: 'Lifeboat itself', username: lifeboat, operation: 'CREATE', expected: false },
    {
      name: 'Lifeboat itself, said to be no dry run',
      username: lifeboat,
      dryRun: false,
      operation: 'CREATE',
      expected: false,
    },
    { name: 'a dry run of Lifeboat', username: lifeboat, dryRun: true, operation: 'CREATE', expected: true },
    { name: 'a garbage collection', username: collector, operation: 'DELETE', expected: false },
    { name: 'an update of the garbage collector', username: collector, operation: 'UPDATE', expected: true },
    {
      name: 'the end of a namespace',
      username: 'system:serviceaccount:kube-system:namespace-controller',
      operation: 'DELETE',
      expected: false,
    },
    {
      name: 'the controller manager',
      username: 'system:kube-controller-manager',
      operation: 'DELETE',
      expected: false,
    },
  ])('$name: $expected', ({ username, operation, dryRun, expected }) => {
    const request = { userInfo: { username }, operation, ...(dryRun === undefined ? {} : { dryRun }) }
    expect(matches(request)).toBe(expected)
  })
})

describe('the creation of a pod is asked about', () => {
  const daemonSet = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'logs', uid: '1', controller: true }
  const matches = (metadata: object) => {
    const [hold] = build().mutating[1]?.webhooks ?? []
    return (hold?.matchConditions ?? []).every(({ expression }) => {
      const outcome = compileCel(expression, ['object']).evaluate({ object: toCelValue({ metadata }) })
      return outcome.kind === 'value' && outcome.value === true
    })
  }
  test.each([
    { name: 'of a DaemonSet', owners: [daemonSet], expected: true },
    { name: 'of nobody', owners: undefined, expected: false },
    { name: 'of a ReplicaSet', owners: [{ ...daemonSet, kind: 'ReplicaSet' }], expected: false },
    { name: 'of a DaemonSet that does not control it', owners: [{ ...daemonSet, controller: false }], expected: false },
    {
      name: 'of a DaemonSet that says nothing of it',
      owners: [{ ...daemonSet, controller: undefined }],
      expected: false,
    },
    { name: 'of another kind of DaemonSet', owners: [{ ...daemonSet, apiVersion: 'example.com/v1' }], expected: false },
  ])('$name: $expected', ({ owners, expected }) => {
    const ownerReferences = owners?.map((owner) => JSON.parse(JSON.stringify(owner)) as object)
    expect(matches(ownerReferences === undefined ? {} : { ownerReferences })).toBe(expected)
  })
})
