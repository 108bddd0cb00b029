import { expect } from 'vitest'
import { arrangePod, buildPod, lifeboatUser, podsPath, said, type StoryWorld, type Story } from './admission-story.ts'

// 'Pod Admission' of the specification, sentence by sentence, and what people with bad intentions might try.

const prefix = 'evacuation.coordination.k8s.io/'
const priority = (suffix: string) => `${prefix}priority_${suffix}`
const hash = (suffix: string) => `${prefix}hash_${suffix}`
const containing = (text: string) => expect.stringContaining(text) as unknown

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [priority(`e${index}.example.com`), `${index}`]))

const by = `ValidatingAdmissionPolicy 'lifeboat-evacuator-annotations' with binding 'lifeboat-evacuator-annotations' denied request: `
const refusal = (message: string) => `422 Invalid: pods "web" is forbidden: ${by}${message}`
const at = (suffix: string, value: string, allowed: string) =>
  refusal(`metadata.annotations[${priority(suffix)}] is "${value}": ${allowed}`)

async function creating(world: StoryWorld, annotations: object): Promise<string> {
  return said(world, await world.send('POST', podsPath(world), buildPod('web', { annotations })))
}

function created(sentence: string, name: string, annotations: object, expected: unknown): Story {
  return { sentence, name, run: async (world) => [await creating(world, annotations)], expected: [expected] }
}

const range = 'must be PRIORITY or PRIORITY/ROLE with an integer from 0 to 100000'
const integer = '`PRIORITY` should be an integer with a min value `0` and a max value `100000`.'
const optional = '`ROLE` is optional.'
const one = 'Only one annotation of this format can have a `ROLE=controller`.'
const reserved =
  'The `controller` role should have a priority of `10000`. Other role or empty role cannot have a value of `10000`.'
const slots = 'The number of these annotations is limited to 100. 1 slot is always reserved for the `ROLE=controller`.'
const words = 'must be PRIORITY or PRIORITY/ROLE with a role of up to 63 letters, digits, "-", "_" and "."'
const noSubdomain = 'the evacuator class must be a DNS subdomain, such as foo.example.com'
const classes = "`EVACUATOR_CLASS`: should be unique evacuator's DNS subdomain, the maximum length is 54 characters."

const badPriorities = ['-1', '100001', '1e3', '1.5', ' 5', '05', '', 'high', '+5', '0x10', '५', '999999999999999999999']

const annotationStories: readonly Story[] = [
  created(integer, 'from the lowest to the highest', { [priority('a')]: '0', [priority('b')]: '100000' }, '201'),
  ...badPriorities.map((value) =>
    created(integer, `${JSON.stringify(value)} is refused`, { [priority('a')]: value }, at('a', value, range)),
  ),
  created(integer, 'two lines are shown as one', { [priority('a')]: '5\n6' }, at('a', '5 6', range)),
  created(
    integer,
    'a long value is shown in part',
    { [priority('a')]: 'x'.repeat(500) },
    at('a', `${'x'.repeat(100)}…`, range),
  ),
  created(optional, 'without and with one', { [priority('a')]: '5', [priority('b')]: '6/any-word_1.0' }, '201'),
  ...['5/', '5/x/y', '5/-x', '5/ü', `5/${'a'.repeat(64)}`].map((value) =>
    created(optional, `${JSON.stringify(value)} is refused`, { [priority('a')]: value }, at('a', value, words)),
  ),
  created(one, 'one is fine', { [priority('a')]: '10000/controller', [priority('b')]: '5/controller-like' }, '201'),
  created(
    one,
    'the second is named',
    { [priority('a')]: '10000/controller', [priority('b')]: '10000/controller' },
    at('b', '10000/controller', 'only one evacuator may have the role controller'),
  ),
  created(
    reserved,
    'another priority of the controller is refused',
    { [priority('a')]: '9999/controller' },
    at('a', '9999/controller', 'the role controller goes with priority 10000 and no other'),
  ),
  ...['10000', '10000/app', '10000/Controller'].map((value) =>
    created(
      reserved,
      `${value} is refused`,
      { [priority('a')]: value },
      at('a', value, 'priority 10000 is reserved for the role controller'),
    ),
  ),
  created(slots, '99 without a controller', many(99), '201'),
  created(slots, '99 and the controller', { ...many(99), [priority('c')]: '10000/controller' }, '201'),
  ...[
    { name: '100 without a controller', annotations: many(100), count: 100 },
    { name: '101 with a controller', annotations: { ...many(100), [priority('c')]: '10000/controller' }, count: 101 },
    { name: '101 entries', annotations: many(101), count: 101 },
    { name: '3000 entries', annotations: many(3_000), count: 3_000 },
  ].map(({ name, annotations, count }) =>
    created(
      slots,
      `${name} are refused`,
      annotations,
      refusal(
        `metadata.annotations has ${count} of ${prefix}priority_CLASS: at most 100 evacuators, one of them with the role controller`,
      ),
    ),
  ),
  created(classes, 'a class of 54 characters', { [priority('a'.repeat(54))]: '5' }, '201'),
  created(
    classes,
    'a name of 64 characters is refused by the API server itself',
    { [priority('a'.repeat(55))]: '5' },
    containing(`"${priority('a'.repeat(55))}": name part must be no more than 63`),
  ),
  created(
    classes,
    'letters of other alphabets are refused by the API server itself',
    { [priority('яблоко')]: '5' },
    containing(`"${priority('яблоко')}": name part must consist of alphanumeric characters`),
  ),
  created(
    classes,
    'capitals are no subdomain',
    { [priority('A.example.com')]: '5' },
    at('A.example.com', '5', noSubdomain),
  ),
  created(
    classes,
    'a hash stands for a longer one',
    { [priority('0123456789')]: '5', [hash('0123456789')]: `${'a'.repeat(60)}.example.com` },
    '201',
  ),
  created(
    classes,
    'a hash for what is no subdomain is refused',
    { [priority('0123456789')]: '5', [hash('0123456789')]: 'Bad Class' },
    refusal(`metadata.annotations[${hash('0123456789')}] is "Bad Class": ${noSubdomain}`),
  ),
  created(
    classes,
    'a hash for a class of 254 characters is refused',
    { [priority('0123456789')]: '5', [hash('0123456789')]: `${'a.'.repeat(126)}ab` },
    containing(noSubdomain),
  ),
  created(
    classes,
    'a class registered twice is refused',
    { [priority('a.example.com')]: '5', [priority('0123456789')]: '6', [hash('0123456789')]: 'a.example.com' },
    at('a.example.com', '5', 'must not register an evacuator class a second time'),
  ),
  created(classes, 'a hash that nothing refers to does not matter', { [hash('0123456789')]: 'Bad Class' }, '201'),
]

const merge = (world: StoryWorld, metadata: object, subresource = '') =>
  world.send('PATCH', `${podsPath(world)}/web${subresource}`, { metadata })

const updateStories: readonly Story[] = [
  {
    name: 'annotations are checked when they change, and through the status too',
    run: async (world) => {
      await arrangePod(world, 'web', { annotations: { [priority('a')]: '5' } })
      const bad = { annotations: { [priority('a')]: '-1' } }
      return [
        said(world, await merge(world, bad)),
        said(world, await merge(world, bad, '/status')),
        said(world, await merge(world, { annotations: { [priority('b')]: '10000' } })),
        said(world, await merge(world, { annotations: { [priority('a')]: null } })),
        said(world, await merge(world, { labels: { any: 'thing' }, annotations: { 'example.com/a': '-1' } })),
      ]
    },
    expected: [
      at('a', '-1', range),
      at('a', '-1', range),
      at('b', '10000', 'priority 10000 is reserved for the role controller'),
      '200',
      '200',
    ],
  },
  {
    name: 'taking the controller away from 100 is refused',
    run: async (world) => {
      await arrangePod(world, 'web', { annotations: { ...many(99), [priority('c')]: '10000/controller' } })
      return [said(world, await merge(world, { annotations: { [priority('c')]: '7' } }))]
    },
    expected: [containing('metadata.annotations has 100 of')],
  },
  ...[
    { value: 'Default', expected: '201' },
    { value: 'ControllerTakeOver', expected: '201' },
    {
      value: 'controllertakeover',
      expected: `422 Invalid: pods "web" is forbidden: ValidatingAdmissionPolicy 'lifeboat-evict-policy' with binding 'lifeboat-evict-policy' denied request: metadata.annotations[kubernetes.io/evict-policy] is "controllertakeover": must be one of Default, ControllerTakeOver`,
    },
  ].map(({ value, expected }) => ({
    name: `an evict policy ${value}`,
    run: async (world: StoryWorld) => [await creating(world, { 'kubernetes.io/evict-policy': value })],
    expected: [expected],
  })),
  {
    name: 'Lifeboat itself keeps the same rules',
    run: async (world) => {
      const pod = buildPod('web', { annotations: { [priority('a')]: '-1' } })
      // It may create pods only as a dry run.
      const trying = { as: lifeboatUser, query: { dryRun: 'All' } }
      return [said(world, await world.send('POST', podsPath(world), pod, trying))]
    },
    expected: [at('a', '-1', range)],
  },
]

export const podAnnotationStories: readonly Story[] = [...annotationStories, ...updateStories]
