import { describe, expect, test } from 'vitest'

import { chooseContext, type KubeconfigDocument, mergeKubeconfigs, parseKubeconfig } from './kubeconfig-document.ts'

const file = { path: '/home/jane/x', shown: '~/x' }

function parse(text: string, path = '/home/jane/x'): KubeconfigDocument {
  const document = parseKubeconfig(text, { path, shown: path.replace('/home/jane', '~') })
  if (document === undefined) throw new Error('an empty document')
  return document
}

const full = `
apiVersion: v1
kind: Config
current-context: dev
contexts:
- { name: dev, context: { cluster: c, user: u, namespace: shop } }
- { name: staging, context: { cluster: c } }
clusters:
- { name: c, cluster: { server: 'https://c' } }
users:
- { name: u, user: { token: t } }
`

describe('parse', () => {
  test('keeps every entry with its place and folder', () => {
    const document = parse(full)
    expect(document.currentContext).toBe('dev')
    expect([...document.contexts.keys()]).toEqual(['dev', 'staging'])
    expect(document.users.get('u')).toEqual({
      place: 'kubeconfig ~/x: user "u"',
      folder: '/home/jane',
      fields: { token: 't' },
    })
  })

  test.each(['', '\n# only a comment\n', '---\n'])('%j says nothing', (text) => {
    expect(parseKubeconfig(text, file)).toBeUndefined()
  })

  test('JSON is YAML too', () => {
    expect(parse('{"kind":"Config","apiVersion":"v1","current-context":"a"}').currentContext).toBe('a')
  })

  test('null lists, as Go writes them, are empty', () => {
    expect(parse('contexts: null\nclusters: null\nusers: null\n').contexts.size).toBe(0)
  })

  test.each([
    { text: 'a: 1\n  b: [', expected: 'kubeconfig ~/x: not valid YAML at line 1, column 4 (block as implicit key)' },
    { text: 'users:\n\t- a', expected: 'kubeconfig ~/x: not valid YAML at line 2, column 1 (tab as indent)' },
    { text: 'kind: Config\nkind: Config', expected: 'not valid YAML at line 2, column 1 (duplicate key)' },
    { text: 'a: 1\n---\nb: 2', expected: '(multiple docs)' },
    { text: 'a: *nowhere', expected: 'not valid YAML' },
    { text: 'just words', expected: 'kubeconfig ~/x: not a kubeconfig (the top level must be a mapping)' },
    { text: '- a', expected: 'not a kubeconfig (the top level must be a mapping)' },
    { text: 'kind: Pod\napiVersion: v1', expected: 'kubeconfig ~/x: is a Pod of v1, not a Config of v1' },
    { text: 'apiVersion: v2', expected: 'is a Config of v2, not a Config of v1' },
    { text: 'users: {}', expected: 'kubeconfig ~/x: users must be a list' },
    { text: 'users: [a]', expected: 'kubeconfig ~/x: users[0] must be a mapping with name and user' },
    { text: 'users: [{ user: {} }]', expected: 'kubeconfig ~/x: users[0] has no name' },
    { text: 'users: [{ name: 7 }]', expected: 'kubeconfig ~/x: users[0]: name must be a text' },
    { text: 'users: [{ name: a, user: b }]', expected: 'kubeconfig ~/x: users[0] ("a"): user must be a mapping' },
    { text: 'users: [{ name: a }, { name: a }]', expected: 'kubeconfig ~/x: user "a" is there twice; keep one' },
    { text: 'current-context: 7', expected: 'kubeconfig ~/x: current-context must be a text' },
  ])('refuses: $expected', ({ text, expected }) => {
    expect(() => parse(text)).toThrow(expected)
  })

  test('a mistake beside a secret does not repeat it', () => {
    const broken = ['token: SECRET\n bad: [', 'token: "SECRET', '- SECRET: [', 'token: @SECRET', 'token: %SECRET\n\t}']
    for (const text of broken) {
      expect(() => parse(text)).toThrow('not valid YAML')
      expect(() => parse(text)).not.toThrow('SECRET')
    }
  })
})

describe('merge', () => {
  const one = parse(
    `
current-context: ''
clusters: [{ name: red, cluster: { server: 'https://one' } }]
users: [{ name: jane, user: { token: one } }]
`,
    '/home/jane/one',
  )
  const two = parse(
    `
current-context: two
clusters:
- { name: red, cluster: { server: 'https://two', tls-server-name: two } }
- { name: blue, cluster: { server: 'https://blue' } }
`,
    '/home/jane/sub/two',
  )
  const three = parse('current-context: three', '/home/jane/three')

  test('the first file that sets a value wins', () => {
    expect(mergeKubeconfigs([one, two, three]).currentContext).toBe('two')
    expect(mergeKubeconfigs([three, two, one]).currentContext).toBe('three')
  })

  test('an entry is taken whole, not field by field', () => {
    expect(mergeKubeconfigs([one, two]).clusters.get('red')?.fields).toEqual({ server: 'https://one' })
    expect(mergeKubeconfigs([two, one]).clusters.get('red')?.fields).toHaveProperty('tls-server-name', 'two')
  })

  test('entries keep the folder and the name of their file', () => {
    expect(mergeKubeconfigs([one, two]).clusters.get('blue')).toMatchObject({
      folder: '/home/jane/sub',
      place: 'kubeconfig ~/sub/two: cluster "blue"',
    })
  })

  test('messages about all of them name all of them', () => {
    expect(mergeKubeconfigs([one, two]).place).toBe('kubeconfig ~/one:~/sub/two')
  })
})

describe('choose', () => {
  test.each([
    { wanted: undefined, expected: { namespace: 'shop', user: 'kubeconfig ~/x: user "u"' } },
    { wanted: 'staging', expected: { namespace: 'default', user: undefined } },
  ])('context $wanted', ({ wanted, expected }) => {
    const chosen = chooseContext(parse(full), wanted)
    expect({ namespace: chosen.namespace, user: chosen.user?.place }).toEqual(expected)
    expect(chosen.cluster.place).toBe('kubeconfig ~/x: cluster "c"')
  })

  test.each([
    {
      text: full,
      wanted: 'prod',
      expected: 'kubeconfig ~/x: context "prod" not found; there are: dev, staging (choose with --context)',
    },
    {
      text: full.replace('current-context: dev', ''),
      wanted: undefined,
      expected: 'kubeconfig ~/x: no current-context is set; there are: dev, staging (choose with --context)',
    },
    { text: 'kind: Config', wanted: undefined, expected: 'no current-context is set; there are: none' },
    {
      text: full.replace('cluster: c,', 'cluster: gone,'),
      wanted: undefined,
      expected: 'kubeconfig ~/x: context "dev": cluster "gone" not found; there are: c',
    },
    {
      text: full.replace('user: u,', 'user: gone,'),
      wanted: undefined,
      expected: 'kubeconfig ~/x: context "dev": user "gone" not found; there are: u',
    },
    {
      text: full.replace('cluster: c,', ''),
      wanted: undefined,
      expected: 'kubeconfig ~/x: context "dev": names no cluster',
    },
    {
      text: full.replace('namespace: shop', 'namespace: Shop_1'),
      wanted: undefined,
      expected: 'kubeconfig ~/x: context "dev": namespace "Shop_1" is not a valid name of a namespace',
    },
    {
      text: full.replace('namespace: shop', `namespace: ${'n'.repeat(64)}`),
      wanted: undefined,
      expected: 'is not a valid name of a namespace',
    },
  ])('refuses: $expected', ({ text, wanted, expected }) => {
    expect(() => chooseContext(parse(text), wanted)).toThrow(expected)
  })
})
