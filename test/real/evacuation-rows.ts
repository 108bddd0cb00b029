import type { Row, RowObject } from './definition-row.ts'

export const namespace = 'definitions-test'
export const uid = 'f5823a89-e03f-4752-b013-445643b8c7a0'
const otherUid = '0f9e7cb7-8d4c-4f0a-9c1e-2f4d5a6b7c8d'

const controller = { evacuatorClass: 'deployment.apps.k8s.io', priority: 10_000, role: 'controller' }
const operator = { evacuatorClass: 'operator.example.com', priority: 11_000, role: 'knowledgeable' }
const fallback = { evacuatorClass: 'fallback.example.com', priority: 2_000 }
const many = (length: number) =>
  Array.from({ length }, (_, index) => ({ evacuatorClass: `e${index}.example.com`, priority: index }))

interface Options {
  readonly pod?: string
  readonly name?: string
  readonly spec?: object
  readonly metadata?: object
  readonly status?: object
}

export function evacuation({ pod = 'cart-7', name, spec, metadata, status }: Options = {}): RowObject {
  return {
    apiVersion: 'evacuation.coordination.k8s.io/v1alpha1',
    kind: 'Evacuation',
    metadata: { name: name ?? `${uid}-${pod}`, namespace, ...metadata },
    spec: { podRef: { name: pod, uid }, ...spec },
    ...(status ? { status } : {}),
  }
}

const withEvacuators = (...evacuators: unknown[]) => evacuation({ spec: { evacuators } })
const withPodRef = (podRef: object) => evacuation({ spec: { podRef } })
const at = (index: number, field: string) => `spec.evacuators[${index}].${field}`

const good: Row[] = [
  {
    name: 'of a pod and nothing else, which gets its defaults',
    create: evacuation(),
    reads: {
      spec: { progressDeadlineSeconds: 1_800 },
      status: {
        activeEvacuatorCompleted: false,
        evacuationCancellationPolicy: 'Allow',
        failedEvictionCounter: 0,
        message: '',
      },
    },
  },
  {
    name: 'as a node maintenance creates it, resolved from the pod',
    create: evacuation({
      metadata: {
        finalizers: ['evacuation.coordination.k8s.io/instigator_nodemaintenance.k8s.io'],
        labels: { app: 'muffin-orders' },
      },
      spec: { evacuators: [controller], progressDeadlineSeconds: 1_800 },
    }),
    steps: [{ update: { metadata: { finalizers: [] } } }],
  },
  { name: 'with evacuators of all roles', create: withEvacuators(operator, controller, fallback) },
  { name: 'with 99 evacuators and no controller', create: withEvacuators(...many(99)) },
  { name: 'with 100 evacuators, one of them the controller', create: withEvacuators(...many(99), controller) },
  { name: 'with the shortest deadline', create: evacuation({ spec: { progressDeadlineSeconds: 600 } }) },
  { name: 'with the longest deadline', create: evacuation({ spec: { progressDeadlineSeconds: 21_600 } }) },
  { name: 'with the lowest priority', create: withEvacuators({ ...fallback, priority: 0 }) },
  { name: 'with the highest priority', create: withEvacuators({ ...fallback, priority: 100_000 }) },
  { name: 'with the longest role', create: withEvacuators({ ...fallback, role: 'r'.repeat(63) }) },
  { name: 'of a pod whose name has 150 characters', create: evacuation({ pod: 'p'.repeat(150) }) },
  {
    name: 'of a pod with the longest name, which is cut',
    create: evacuation({ pod: 'p'.repeat(253), name: `${uid}-${'p'.repeat(150)}` }),
  },
  {
    name: 'of a pod whose name cannot be cut at a dash, which is left out',
    create: evacuation({ pod: `${'p'.repeat(148)}--pod`, name: `${uid}-${'p'.repeat(148)}` }),
  },
  {
    name: 'with a status, which is dropped on creation',
    create: evacuation({
      spec: { evacuators: [operator] },
      status: { activeEvacuatorClass: 'nobody', failedEvictionCounter: 5, evacuationCancellationPolicy: 'Forbid' },
    }),
    reads: { status: { failedEvictionCounter: 0, evacuationCancellationPolicy: 'Allow' } },
  },
]

const badNames: Row[] = [
  ['named after another pod', evacuation({ name: `${uid}-cart-8` })],
  ['named by the pod alone', evacuation({ name: 'cart-7' })],
  ['named by the UID alone', evacuation({ name: uid })],
  ['named by another UID', evacuation({ name: `${otherUid}-cart-7` })],
  ['whose name is cut too early', evacuation({ name: `${uid}-car` })],
  ['whose name is not cut', evacuation({ pod: 'p'.repeat(160), name: `${uid}-${'p'.repeat(160)}` })],
  ['whose name is cut too late', evacuation({ pod: 'p'.repeat(160), name: `${uid}-${'p'.repeat(151)}` })],
].map(([name, create]) => ({
  name: name as string,
  create: create as RowObject,
  refused: { field: 'metadata.name', message: 'the name must be the UID and the name of the pod' },
}))

const badCreations: Row[] = [
  {
    name: 'with a generateName beside its name',
    create: evacuation({ metadata: { generateName: 'x-' } }),
    refused: { field: 'metadata.generateName', message: 'generateName is not supported' },
  },
  {
    name: 'with a generateName in place of its name',
    create: evacuation({ metadata: { name: undefined, generateName: `${uid}-` } }),
    refused: { field: 'metadata.generateName', message: 'generateName is not supported' },
  },
  {
    name: 'whose name is none in Kubernetes',
    create: evacuation({ pod: 'cart-7', name: `${uid}-Cart` }),
    refused: { field: 'metadata.name', message: 'RFC 1123 subdomain' },
    ofAllKinds: true,
  },
  {
    name: 'without a spec',
    create: { ...evacuation(), spec: undefined },
    refused: { field: 'spec', message: 'Required value' },
  },
  {
    name: 'without a pod',
    create: evacuation({ spec: { podRef: undefined } }),
    refused: { field: 'spec.podRef', message: 'Required value' },
  },
  {
    name: 'of a pod without a name',
    create: withPodRef({ uid }),
    refused: { field: 'spec.podRef.name', message: 'Required value' },
  },
  {
    name: 'of a pod without a UID',
    create: withPodRef({ name: 'cart-7' }),
    refused: { field: 'spec.podRef.uid', message: 'Required value' },
  },
  {
    name: 'of a pod with an empty name',
    create: withPodRef({ name: '', uid }),
    refused: { field: 'spec.podRef.name', message: 'at least 1 chars long' },
  },
  {
    name: 'of a pod whose name is no DNS subdomain',
    create: withPodRef({ name: 'Cart_7', uid }),
    refused: { field: 'spec.podRef.name', message: 'should match' },
  },
  {
    name: 'of a pod whose name is too long',
    create: withPodRef({ name: 'p'.repeat(254), uid }),
    refused: { field: 'spec.podRef.name', message: 'may not be more than 253' },
  },
  {
    name: 'of a pod whose UID is in capitals',
    create: withPodRef({ name: 'cart-7', uid: uid.toUpperCase() }),
    refused: { field: 'spec.podRef.uid', message: 'should match' },
  },
  {
    name: 'of a pod whose UID is something else',
    create: withPodRef({ name: 'cart-7', uid: 'seven' }),
    refused: { field: 'spec.podRef.uid', message: 'at least 36 chars long' },
  },
  {
    name: 'with a deadline below 10 minutes',
    create: evacuation({ spec: { progressDeadlineSeconds: 599 } }),
    refused: { field: 'spec.progressDeadlineSeconds', message: 'greater than or equal to 600' },
  },
  {
    name: 'with a deadline above 6 hours',
    create: evacuation({ spec: { progressDeadlineSeconds: 21_601 } }),
    refused: { field: 'spec.progressDeadlineSeconds', message: 'less than or equal to 21600' },
  },
  {
    name: 'with a deadline in words',
    create: evacuation({ spec: { progressDeadlineSeconds: '30m' } }),
    refused: { field: 'spec.progressDeadlineSeconds', message: 'must be of type integer' },
  },
]

const badEvacuators: Row[] = [
  {
    name: 'with evacuators that are no list',
    create: evacuation({ spec: { evacuators: operator } }),
    refused: { field: 'spec.evacuators', message: 'must be of type array' },
  },
  {
    name: 'with an evacuator without a class',
    create: withEvacuators({ priority: 1 }),
    refused: { field: at(0, 'evacuatorClass'), message: 'Required value' },
  },
  {
    name: 'with an evacuator class in capitals',
    create: withEvacuators({ ...fallback, evacuatorClass: 'Example.com' }),
    refused: { field: at(0, 'evacuatorClass'), message: 'should match' },
  },
  {
    name: 'with an evacuator class that ends in a dot',
    create: withEvacuators(operator, { ...fallback, evacuatorClass: 'example.com.' }),
    refused: { field: at(1, 'evacuatorClass'), message: 'should match' },
  },
  {
    name: 'with an evacuator class that is too long',
    create: withEvacuators({ ...fallback, evacuatorClass: 'e'.repeat(254) }),
    refused: { field: at(0, 'evacuatorClass'), message: 'may not be more than 253' },
  },
  {
    name: 'with an evacuator without a priority',
    create: withEvacuators({ evacuatorClass: 'a.example.com' }),
    refused: { field: at(0, 'priority'), message: 'Required value' },
  },
  {
    name: 'with a negative priority',
    create: withEvacuators({ ...fallback, priority: -1 }),
    refused: { field: at(0, 'priority'), message: 'greater than or equal to 0' },
  },
  {
    name: 'with a priority above 100000',
    create: withEvacuators({ ...fallback, priority: 100_001 }),
    refused: { field: at(0, 'priority'), message: 'less than or equal to 100000' },
  },
  {
    name: 'with a priority in quotes',
    create: withEvacuators({ ...fallback, priority: '5' }),
    refused: { field: at(0, 'priority'), message: 'must be of type integer' },
  },
  {
    name: 'with half a priority',
    create: withEvacuators({ ...fallback, priority: 0.5 }),
    refused: { field: at(0, 'priority'), message: 'must be of type int32' },
  },
  {
    name: 'with a controller of another priority',
    create: withEvacuators({ ...controller, priority: 9_999 }),
    refused: { field: at(0, 'priority'), message: 'the role controller goes with priority 10000' },
  },
  {
    name: 'with priority 10000 and no role',
    create: withEvacuators({ ...fallback, priority: 10_000 }),
    refused: { field: at(0, 'priority'), message: 'priority 10000 is reserved for the role controller' },
  },
  {
    name: 'with priority 10000 and another role',
    create: withEvacuators(fallback, { ...operator, priority: 10_000 }),
    refused: { field: at(1, 'priority'), message: 'priority 10000 is reserved for the role controller' },
  },
  {
    name: 'with two controllers',
    create: withEvacuators(controller, { ...controller, evacuatorClass: 'statefulset.apps.k8s.io' }),
    refused: { field: 'spec.evacuators', message: 'only one evacuator may have the role controller' },
  },
  {
    name: 'with 100 evacuators and no controller',
    create: withEvacuators(...many(100)),
    refused: { field: 'spec.evacuators', message: 'the last of the 100 slots is reserved' },
  },
  {
    name: 'with 101 evacuators',
    create: withEvacuators(...many(100), controller),
    refused: { field: 'spec.evacuators', message: 'must have at most 100 items' },
  },
  {
    name: 'with an evacuator that is there twice',
    create: withEvacuators(operator, fallback, { ...operator, priority: 3 }),
    refused: { field: 'spec.evacuators[2]', message: 'Duplicate value' },
  },
  {
    name: 'with an empty role',
    create: withEvacuators({ ...fallback, role: '' }),
    refused: { field: at(0, 'role'), message: 'at least 1 chars long' },
  },
  {
    name: 'with a role of 64 characters',
    create: withEvacuators({ ...fallback, role: 'r'.repeat(64) }),
    refused: { field: at(0, 'role'), message: 'may not be more than 63' },
  },
  {
    name: 'with a role of two words',
    create: withEvacuators({ ...fallback, role: 'knows all' }),
    refused: { field: at(0, 'role'), message: 'should match' },
  },
]

export const evacuationCreationRows: readonly Row[] = [...good, ...badNames, ...badCreations, ...badEvacuators]
