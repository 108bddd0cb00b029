import { TransportError, type RawWatchEvent } from '../client/transport.ts'

/** One event may be as large as the largest object the API server stores, and then some. */
const lineBytesMax = 16 * 1024 * 1024
const newline = 0x0a
const updateBegins = Buffer.from('{"type":"MODIFIED"')

/** Whether the JSON of a watch event is about an object that was there and still is. In doubt it is not. */
export function isUpdate(line: Buffer): boolean {
  return line.subarray(0, updateBegins.length).equals(updateBegins)
}

/** Cuts a watch's body into its events: one JSON document a line, in chunks that end anywhere. */
export async function* parseWatchLines(
  chunks: AsyncIterable<Uint8Array>,
  isWorthParsing: (line: Buffer) => boolean = () => true,
): AsyncGenerator<RawWatchEvent, void, void> {
  let pieces: Uint8Array[] = []
  let piecesBytes = 0
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      pieces.push(chunk.subarray(start, end))
      start = end + 1
      const line = joined(pieces)
      const event = line.length > 0 && isWorthParsing(line) ? parseLine(line) : undefined
      pieces = []
      piecesBytes = 0
      if (event !== undefined) yield event
    }
    if (start === chunk.length) continue
    pieces.push(chunk.subarray(start))
    piecesBytes += chunk.length - start
    if (piecesBytes > lineBytesMax) {
      throw new TransportError(`a watch event is larger than ${lineBytesMax} bytes`, { sent: 'maybe' })
    }
  }
  // What is left after the last newline is half an event: the watch resumes before it.
}

function joined(pieces: readonly Uint8Array[]): Buffer {
  const [first] = pieces
  return pieces.length === 1 && first !== undefined ? asBuffer(first) : Buffer.concat(pieces)
}

function parseLine(line: Buffer): RawWatchEvent {
  let event: unknown
  try {
    event = JSON.parse(line.toString('utf8'))
  } catch (cause) {
    throw new TransportError('a watch event is not JSON', { sent: 'maybe', cause })
  }
  if (typeof event !== 'object' || event === null || !('type' in event) || typeof event.type !== 'string') {
    throw new TransportError('a watch event has no type', { sent: 'maybe' })
  }
  return { type: event.type, object: 'object' in event ? event.object : undefined }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
