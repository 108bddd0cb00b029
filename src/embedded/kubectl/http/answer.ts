import type { ServerResponse } from 'node:http'
import { stringify } from 'yaml'
import type { ApiAnswer } from '../../server/request.ts'
import { negotiate } from '../surface/media-type.ts'
import { warningHeaders } from './warning-header.ts'

type Answered = ApiAnswer & { readonly kind: 'response' }

/** Text goes out as it is, everything else as JSON, or as YAML where the client asks for that. */
export function writeAnswer(response: ServerResponse, answer: Answered, accept: string | undefined): void {
  const { text, contentType } = encode(answer.body, accept)
  const warnings = warningHeaders(answer.warnings ?? [])
  if (warnings.length > 0) response.setHeader('warning', warnings)
  response.writeHead(answer.status, {
    'cache-control': 'no-cache, private',
    'content-type': contentType,
    'content-length': Buffer.byteLength(text),
    ...answer.headers,
  })
  response.end(text)
}

function encode(body: unknown, accept: string | undefined): { text: string; contentType: string } {
  if (typeof body === 'string') return { text: body, contentType: 'text/plain; charset=utf-8' }
  if (negotiate(accept)?.encoding === 'yaml') {
    return { text: stringify(body, { aliasDuplicateObjects: false }), contentType: 'application/yaml' }
  }
  return { text: JSON.stringify(body), contentType: 'application/json' }
}
