import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { writeAnswer } from './answer.ts'

function written(answer: { body: unknown; warnings?: string[]; headers?: Record<string, string> }, accept?: string) {
  const seen: { headers: Record<string, unknown>; text: string } = { headers: {}, text: '' }
  const response = {
    setHeader: (name: string, value: unknown) => void (seen.headers[name] = value),
    writeHead: (_status: number, headers: object) => void Object.assign(seen.headers, headers),
    end: (text: string) => void (seen.text = text),
  }
  writeAnswer(response as unknown as ServerResponse, { kind: 'response', status: 200, ...answer }, accept)
  return seen
}

test('objects go as JSON, with their length in bytes', () => {
  expect(written({ body: { a: 'ü' } })).toMatchObject({
    text: '{"a":"ü"}',
    headers: { 'content-type': 'application/json', 'content-length': 10 },
  })
})

test('text goes as it is', () => {
  expect(written({ body: 'ok' })).toMatchObject({
    text: 'ok',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  })
})

test('YAML for who asks for it, each object written out', () => {
  const one = { a: 1 }
  expect(written({ body: [one, one] }, 'application/yaml').text).toBe('- a: 1\n- a: 1\n')
})

test('warnings and headers of the answer come along', () => {
  const { headers } = written({
    body: {},
    warnings: ['mind the gap'],
    headers: { 'content-type': 'x', 'retry-after': '1' },
  })
  expect(headers).toMatchObject({ warning: ['299 - "mind the gap"'], 'content-type': 'x', 'retry-after': '1' })
})
