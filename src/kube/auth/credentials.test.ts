import { expect, test } from 'vitest'

import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { isBearerToken, staticCredentials, tokenFileCredentials, type TokenFileOptions } from './credentials.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

/** A token file that a test rewrites; undefined: it is gone. */
function tokenFile(content: string | undefined, options: Partial<TokenFileOptions> = {}) {
  const clock = new VirtualClock()
  const file = { content, reads: 0 }
  const files = {
    readText: async () => {
      file.reads++
      if (file.content === undefined) throw Object.assign(new Error('gone'), { code: 'ENOENT' })
      return file.content
    },
  }
  const credentials = tokenFileCredentials({ path: '/token', files, clock, place: 'user "dev"', ...options })
  return { clock, file, credentials, token: async () => (await credentials.current()).token }
}

test('static credentials never change', async () => {
  const credential = { token: 't', certificate: { certificate: 'c', key: 'k' } }
  const credentials = staticCredentials(credential)
  expect(await credentials.current()).toBe(credential)
  credentials.invalidate()
  expect(await credentials.current()).toBe(credential)
  await expect(credentials.current(AbortSignal.abort(new Error('left')))).rejects.toThrow('left')
})

test('a token file is read once a minute at most, and a new token is found then', async () => {
  const { clock, file, token } = tokenFile('one\n')
  expect(await token()).toBe('one')
  file.content = 'two\n'
  await clock.advance(59_999)
  expect(await token()).toBe('one')
  expect(file.reads).toBe(1)
  await clock.advance(1)
  expect(await token()).toBe('two')
  expect(await token()).toBe('two')
  expect(file.reads).toBe(2)
})

test('an unchanged token is the same object, so nobody reconnects', async () => {
  const { clock, credentials } = tokenFile('one')
  const first = await credentials.current()
  await clock.advance(60_000)
  expect(await credentials.current()).toBe(first)
})

test('after a 401 it is read at once', async () => {
  const { file, credentials, token } = tokenFile('one')
  await token()
  file.content = 'two'
  credentials.invalidate()
  expect(await token()).toBe('two')
})

const webToken = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl'

test.each([
  { name: 'vanished', content: undefined },
  { name: 'empty', content: '' },
  { name: 'blank', content: ' \n' },
  { name: 'cut after its second part', content: webToken.slice(0, 35) },
  { name: 'cut within its first part', content: 'eyJhbGciO' },
  { name: 'binary', content: 'a\u0000b' },
])('a file that is $name keeps the last good token, and is looked at again soon', async ({ content }) => {
  const { clock, file, credentials, token } = tokenFile(webToken)
  await token()
  file.content = content
  credentials.invalidate()
  expect(await token()).toBe(webToken)
  expect(file.reads).toBe(2)
  await clock.advance(4_999)
  expect(await token()).toBe(webToken)
  expect(file.reads).toBe(2)
  file.content = `${webToken}2`
  await clock.advance(1)
  expect(await token()).toBe(`${webToken}2`)
})

test('another kind of token may follow a web token', async () => {
  const { file, credentials, token } = tokenFile(webToken)
  await token()
  file.content = 'opaque'
  credentials.invalidate()
  expect(await token()).toBe('opaque')
})

test.each([
  { content: undefined, message: 'user "dev": token file /token does not exist' },
  { content: '\n', message: 'user "dev": token file /token is empty' },
  { content: 'two words', message: 'user "dev": token file /token does not hold a bearer token' },
])('without a good token it fails: $message', async ({ content, message }) => {
  const { token } = tokenFile(content)
  await expect(token()).rejects.toThrow(new KubeconfigError(message))
})

test('a token given beside the file serves until the file does', async () => {
  const { clock, file, token } = tokenFile(undefined, { initialToken: 'given' })
  expect(await token()).toBe('given')
  file.content = 'read'
  await clock.advance(5_000)
  expect(await token()).toBe('read')
})

test('a certificate stays the same object while the token changes', async () => {
  const certificate = { certificate: 'c', key: 'k' }
  const { file, credentials } = tokenFile('one', { certificate })
  await credentials.current()
  file.content = 'two'
  credentials.invalidate()
  const credential = await credentials.current()
  expect(credential).toEqual({ token: 'two', certificate })
  expect(credential.certificate).toBe(certificate)
})

test('callers at the same time share one read', async () => {
  const { file, token } = tokenFile('one')
  expect(await Promise.all([token(), token(), token()])).toEqual(['one', 'one', 'one'])
  expect(file.reads).toBe(1)
})

test('a 401 that arrives during a read leads to another one', async () => {
  const { file, credentials, token } = tokenFile('one')
  const reading = token()
  credentials.invalidate()
  await reading
  await token()
  expect(file.reads).toBe(2)
})

test.each([
  { text: 'abc.DEF-1_2~+/=', expected: true },
  { text: '', expected: false },
  { text: 'a b', expected: false },
  { text: 'a\nb', expected: false },
  { text: 'ä', expected: false },
])('"$text" can be sent as a bearer token: $expected', ({ text, expected }) => {
  expect(isBearerToken(text)).toBe(expected)
})
