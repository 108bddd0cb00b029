import { PassThrough } from 'node:stream'
import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { parseBody, readBody } from './body.ts'

const json = { contentType: 'application/json', method: 'POST', kind: 'ConfigMap' } as const
const yaml = { ...json, contentType: 'application/yaml' }
const merge = { ...json, contentType: 'application/merge-patch+json', method: 'PATCH' } as const
const parse = (text: string, context: Parameters<typeof parseBody>[1] = json) => parseBody(Buffer.from(text), context)
const prefix = 'the object provided is unrecognized (must be of type ConfigMap): '
const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`

test.each([
  { name: 'JSON', context: json, text: '{"a":[1]}' },
  { name: 'JSON without a type', context: { ...json, contentType: undefined }, text: '{"a":[1]}' },
  {
    name: 'JSON with a character set',
    context: { ...json, contentType: 'application/json; charset=utf-8' },
    text: '{"a":[1]}',
  },
  { name: 'YAML', context: yaml, text: 'a:\n- 1\n' },
  { name: 'a patch', context: merge, text: '{"a":[1]}' },
])('reads $name', ({ context, text }) => {
  expect(parse(text, context)).toEqual({ a: [1] })
})

test.each([
  {
    name: 'half a JSON',
    text: '{"a":',
    words: `${prefix}couldn't get version/kind; json parse error: unexpected end of JSON input ({"a":)`,
  },
  {
    name: 'nothing',
    text: '',
    words: `${prefix}couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)`,
  },
  {
    name: 'a long text that is not JSON',
    text: `{"kind":"ConfigMap","apiVersion":"v1"} x`,
    words: `${prefix}couldn't get version/kind; json parse error: invalid character 'x' after top-level value ({"kind":"ConfigMap","apiVersio ...)`,
  },
  {
    name: 'a deep one',
    text: deep,
    words: `invalid character '{' exceeded max depth ({"a":{"a":{"a":{"a":{"a":{"a": ...)`,
  },
])('says in the real words what is wrong with $name', ({ text, words }) => {
  expect(() => parse(text)).toThrow(expect.objectContaining({ code: 400, message: expect.stringContaining(words) }))
})

test.each([
  { name: 'half a YAML', context: yaml, text: 'a: [b', code: 400 },
  { name: 'a deep YAML', context: yaml, text: deep, code: 400 },
  { name: 'a YAML that is deep by its indentation', context: yaml, text: '- '.repeat(1_500), code: 400 },
  {
    name: 'a YAML that grows',
    context: yaml,
    text: `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
      .split('')
      .map((name, at) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefgh'[at]}`).join(',')}]`)
      .join('\n')}\n`,
    code: 400,
  },
  { name: 'half a patch', context: merge, text: '{"a":', code: 400 },
  { name: 'a deep patch', context: merge, text: deep, code: 400 },
  {
    name: 'half a JSON patch',
    context: { ...merge, contentType: 'application/json-patch+json' },
    text: '[{',
    code: 400,
  },
  { name: 'a song', context: { ...json, contentType: 'text/plain' }, text: 'la', code: 415 },
])('refuses $name', ({ context, text, code }) => {
  expect(() => parse(text, context)).toThrow(expect.objectContaining({ code }))
})

test('a patch to be applied by the server is left to the server to refuse', () => {
  expect(parse('{', { ...merge, contentType: 'application/apply-patch+yaml' })).toBeUndefined()
})

test('requests without a body may have none', () => {
  expect(parse('', { ...json, method: 'DELETE' })).toBeUndefined()
})

test('as much as allowed is read; of more nothing is kept, and the rest is still taken', async () => {
  const read = async (length: number) => {
    const stream = new PassThrough()
    const body = readBody(stream as unknown as IncomingMessage, 100)
    for (let sent = 0; sent < length; sent += 10) stream.write(Buffer.alloc(Math.min(10, length - sent)))
    stream.end()
    return { body: await body, stream }
  }
  expect((await read(100)).body?.length).toBe(100)
  const { body, stream } = await read(150)
  expect(body).toBeUndefined()
  expect(stream.destroyed).toBe(false)
  expect(() => parseBody(body, json)).toThrow(
    expect.objectContaining({ code: 413, message: 'Request entity too large: limit is 3145728' }),
  )
})

test('a client who goes away in the middle is an error', async () => {
  const stream = new PassThrough()
  const body = readBody(stream as unknown as IncomingMessage)
  stream.write('x')
  stream.destroy()
  await expect(body).rejects.toThrow('went away')
})
