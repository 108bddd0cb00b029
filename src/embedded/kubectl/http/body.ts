import type { IncomingMessage } from 'node:http'
import { parse as parseYaml } from 'yaml'
import type { Method } from '../../../kube/client/transport.ts'
import { badRequest, tooLarge, unsupportedMediaType } from '../../server/failure.ts'
import { parseMediaType } from '../surface/media-type.ts'
import { describeJsonFault } from './json-fault.ts'
import { isNestedTooDeep, isValueNestedTooDeep } from './nesting.ts'
import { decodeProtobuf } from './protobuf.ts'

export const bodyBytesMax = 3 * 1024 * 1024
const excerptLengthMax = 30
/** Aliases of YAML can make much of little. */
const yamlAliasesMax = 100

/** Undefined: more than the limit. The rest is read and dropped, so that the client gets to see the answer. */
export async function readBody(stream: IncomingMessage, bytesMax = bodyBytesMax): Promise<Buffer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>()
  let chunks: Buffer[] = []
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= bytesMax) chunks.push(chunk)
    else {
      chunks = []
      resolve(undefined)
    }
  })
  stream.once('end', () => resolve(Buffer.concat(chunks)))
  stream.once('error', reject)
  stream.once('close', () => reject(new Error('the client went away')))
  return promise
}

export interface BodyContext {
  readonly contentType: string | undefined
  readonly method: Method
  /** The kind that is expected here, for the words of an error. */
  readonly kind: string
}

/** What a request carries. What is wrong with it is thrown as the failure that the client gets. */
export function parseBody(bytes: Buffer | undefined, context: BodyContext): unknown {
  if (bytes === undefined) throw tooLarge(`Request entity too large: limit is ${bodyBytesMax}`)
  if (bytes.length === 0) {
    if (context.method === 'GET' || context.method === 'DELETE') return undefined
    throw unrecognized(
      context.kind,
      `couldn't get version/kind; json parse error: unexpected end of JSON input`,
      '<empty>',
    )
  }
  // Clients without a content type, such as delete requests of old ones, mean JSON.
  const { type } = parseMediaType(context.contentType ?? 'application/json')
  if (context.method === 'PATCH') return parsePatch(bytes, type)
  switch (type) {
    case '':
    case '*/*':
    case 'application/json':
      return parseJson(bytes, context)
    case 'application/yaml':
      return parseYamlObject(bytes, context)
    case 'application/vnd.kubernetes.protobuf':
      return decodeProtobuf(bytes)
    default:
      throw unsupportedMediaType(
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      )
  }
}

/** Which patch types there are is for the server to say: this only reads them. */
function parsePatch(bytes: Buffer, type: string): unknown {
  if (isNestedTooDeep(bytes)) throw badRequest('invalid JSON patch')
  try {
    return type.endsWith('+yaml') ? parseYaml(bytes.toString('utf8')) : JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    if (type.endsWith('+yaml')) return undefined
    if (type === 'application/merge-patch+json') throw badRequest('invalid JSON patch')
    throw badRequest(`error decoding patch: ${describeJsonFault(error, bytes.toString('utf8'))}`)
  }
}

function parseJson(bytes: Buffer, { kind }: BodyContext): unknown {
  const text = bytes.toString('utf8')
  const isTooDeep = isNestedTooDeep(bytes)
  try {
    if (!isTooDeep) return JSON.parse(text)
  } catch (error) {
    throw unrecognized(
      kind,
      `couldn't get version/kind; json parse error: ${describeJsonFault(error, text)}`,
      shownOf(bytes),
    )
  }
  throw unrecognized(
    kind,
    `couldn't get version/kind; json parse error: invalid character '{' exceeded max depth`,
    text,
  )
}

/** What does not look like an object is shown in hexadecimal: it may be anything. */
function shownOf(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  return text.trimStart().startsWith('{') ? text : bytes.toString('hex')
}

function parseYamlObject(bytes: Buffer, { kind }: BodyContext): unknown {
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    if (isNestedTooDeep(bytes)) throw new Error('exceeded max depth')
    value = parseYaml(text, { maxAliasCount: yamlAliasesMax })
    // Indentation nests too, and brackets in texts do not.
    if (isValueNestedTooDeep(value)) throw new Error('exceeded max depth')
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    throw unrecognized(kind, `yaml: ${reason.replace(/:$/, '')}`, text)
  }
  return value
}

function unrecognized(kind: string, why: string, text: string) {
  const excerpt = text.length > excerptLengthMax ? `${text.slice(0, excerptLengthMax)} ...` : text
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${excerpt})`)
}
