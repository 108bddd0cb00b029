import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TransportError, type RawWatchEvent } from '../client/transport.ts'
import { isUpdate, parseWatchLines } from './watch-lines.ts'

async function* chunked(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0
  for (const size of sizes) {
    yield bytes.subarray(start, start + size)
    start += size
  }
  yield bytes.subarray(start)
}

const collect = async (text: string, sizes: readonly number[] = []): Promise<RawWatchEvent[]> => {
  const events: RawWatchEvent[] = []
  for await (const event of parseWatchLines(chunked(Buffer.from(text), sizes))) events.push(event)
  return events
}

describe('parseWatchLines', () => {
  test('gives the same events wherever the chunks end, also inside a character', async () => {
    const events = fc.array(fc.record({ type: fc.constantFrom('ADDED', 'DELETED'), object: fc.jsonValue() }))
    await fc.assert(
      fc.asyncProperty(events, fc.array(fc.integer({ min: 0, max: 9 })), async (expected, sizes) => {
        const text = expected.map((event) => `${JSON.stringify(event)}\n`).join('')
        expect(await collect(text, sizes)).toEqual(JSON.parse(JSON.stringify(expected)))
      }),
    )
  })

  test('leaves half an event at the end alone', async () => {
    expect(await collect('{"type":"ADDED","object":1}\n{"type":"ADD')).toEqual([{ type: 'ADDED', object: 1 }])
  })

  test('does not parse what is not worth it, wherever the chunks end', async () => {
    const text = '{"type":"ADDED","object":"web"}\nthis is no JSON: db\n{"type":"ADDED","object":"cart"}\n'
    const events: RawWatchEvent[] = []
    const isWorthParsing = (line: Buffer) => !line.includes('db')
    for await (const event of parseWatchLines(chunked(Buffer.from(text), [5, 30, 9]), isWorthParsing))
      events.push(event)
    expect(events.map(({ object }) => object)).toEqual(['web', 'cart'])
  })

  test('passes over empty lines', async () => {
    expect(await collect('\n\n{"type":"ADDED","object":1}\n\n')).toHaveLength(1)
  })

  test.each([
    { name: 'a line that is not JSON', line: '<html>' },
    { name: 'an event without a type', line: '{"object":1}' },
    { name: 'a bare number', line: '1' },
  ])('$name is an error', async ({ line }) => {
    await expect(collect(`${line}\n`)).rejects.toThrow(TransportError)
  })

  test('a line without end does not fill the memory', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      const chunk = Buffer.alloc(1024 * 1024, 'x')
      for (;;) yield chunk
    }
    await expect(parseWatchLines(endless()).next()).rejects.toThrow('larger than')
  })
})

test.each([
  { line: '{"type":"MODIFIED","object":{}}', expected: true },
  { line: '{"type":"ADDED","object":{"type":"MODIFIED"}}', expected: false },
  { line: '{"type":"BOOKMARK","object":{}}', expected: false },
  { line: '{"type":"MODI', expected: false },
])('$line is an update: $expected', ({ line, expected }) => expect(isUpdate(Buffer.from(line))).toBe(expected))
