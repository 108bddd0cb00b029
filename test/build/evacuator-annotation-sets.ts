import fc from 'fast-check'

const priority = (suffix: string) => `evacuation.coordination.k8s.io/priority_${suffix}`
const hash = (suffix: string) => `evacuation.coordination.k8s.io/hash_${suffix}`

const good = fc.oneof(
  fc.nat(9_999).map(String),
  fc.constantFrom('100000', '0', '5/x', '7/any-word_1.0', `9/${'a'.repeat(63)}`),
)
const bad = fc.constantFrom(
  '10000',
  '10000/x',
  '9/controller',
  '5/',
  '/x',
  '100001',
  '-1',
  '1e3',
  '',
  '5\n',
  '5/x\n',
  `9/${'a'.repeat(64)}`,
)
const controller = fc.constant('10000/controller')
const suffix = fc.constantFrom('a.example.com', 'b.example.com', 'Bad', '0123456789', '7bb77f87dc', 'x_y', 'a')
const longClass = `${'a'.repeat(63)}.example.com`
const someClass = fc.constantFrom('a.example.com', 'b.example.com', longClass, 'Bad Class', '', 'ü')

const few = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.tuple(suffix.map(priority), good) },
      { weight: 1, arbitrary: fc.tuple(suffix.map(priority), bad) },
      { weight: 1, arbitrary: fc.tuple(suffix.map(priority), controller) },
      { weight: 2, arbitrary: fc.tuple(suffix.map(hash), someClass) },
    ),
    { maxLength: 6 },
  )
  .map((entries) => Object.fromEntries(entries) as Record<string, string>)

const many = fc
  .tuple(fc.integer({ min: 97, max: 102 }), fc.boolean(), fc.boolean())
  .map(([count, hasController, hasHashes]) => {
    const entries = Array.from({ length: count }, (_, index) => [
      [priority(`e${index}`), `${index}`],
      ...(hasHashes ? [[hash(`e${index}`), `${'x'.repeat(60)}${index}.example.com`]] : []),
    ]).flat()
    const all = hasController ? [...entries, [priority('controller'), '10000/controller']] : entries
    return Object.fromEntries(all) as Record<string, string>
  })

/** Annotations whose keys the API server takes, among them all sorts of mistakes, and lists at the limit. */
export const evacuatorAnnotationSets = fc.oneof({ weight: 9, arbitrary: few }, { weight: 1, arbitrary: many })
