import { Agent, request as httpsRequest } from 'node:https'
import type { IncomingMessage } from 'node:http'
import {
  addressOf,
  requestNameOf,
  type WebhookCaller,
  type WebhookClient,
} from '../../server/admission/webhooks/webhook-caller.ts'

const answerBytesMax = 3 * 1024 * 1024

/** Calls webhooks by their URLs. There is no network of services here: those are to be registered in process. */
export function httpsWebhookCaller(): WebhookCaller {
  // Connections are kept for the next call; one that idles keeps no process alive.
  const agent = new Agent({ keepAlive: true })
  return {
    call: async (client, review, signal) => {
      if (client.url === undefined) {
        throw new Error(
          `${requestNameOf(client)}: the embedded cluster has no network for services: give the webhook a url, or register it in process`,
        )
      }
      try {
        return await post(client, JSON.stringify(review), { agent, signal })
      } catch (error) {
        if (error instanceof UnwelcomeAnswer) throw error
        throw new Error(`${requestNameOf(client)}: ${inWords(error, new URL(client.url))}`, { cause: error })
      }
    },
  }
}

/** It did answer, but not what was asked. */
class UnwelcomeAnswer extends Error {
  override readonly name = 'UnwelcomeAnswer'
}

async function post(
  client: WebhookClient,
  body: string,
  { agent, signal }: { readonly agent: Agent; readonly signal: AbortSignal },
): Promise<unknown> {
  const answered = Promise.withResolvers<IncomingMessage>()
  const outgoing = httpsRequest(
    `${addressOf(client)}?timeout=${client.timeoutSeconds}s`,
    {
      method: 'POST',
      agent,
      signal,
      ...(client.caBundle === undefined ? {} : { ca: Buffer.from(client.caBundle, 'base64') }),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, */*',
        'content-length': Buffer.byteLength(body),
      },
    },
    answered.resolve,
  )
  outgoing.on('error', answered.reject)
  outgoing.end(body)
  const answer = await answered.promise
  const text = await readText(answer)
  const status = answer.statusCode ?? 0
  if (status < 200 || status > 299) throw new UnwelcomeAnswer(refusalOf(status, text))
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new UnwelcomeAnswer(`couldn't get version/kind; json parse error: ${JSON.stringify(text.slice(0, 100))}`)
  }
}

async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > answerBytesMax) throw new UnwelcomeAnswer(`the answer is longer than ${answerBytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** As the client library of the real server puts it. */
function refusalOf(status: number, text: string): string {
  if (status === 404) return 'the server could not find the requested resource'
  if (status >= 500)
    return `an error on the server (${JSON.stringify(text.trim())}) has prevented the request from succeeding`
  return `the server responded with the status code ${status} but did not return more information`
}

const causes: Readonly<Record<string, (url: URL) => string>> = {
  ECONNREFUSED: ({ hostname, port }) => `dial tcp ${hostname}:${port || '443'}: connect: connection refused`,
  ENOTFOUND: ({ hostname }) => `dial tcp: lookup ${hostname}: no such host`,
  ECONNRESET: () => 'EOF',
  DEPTH_ZERO_SELF_SIGNED_CERT: () => unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: () => unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: () => unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: () => unknownAuthority,
}

const unknownAuthority = 'tls: failed to verify certificate: x509: certificate signed by unknown authority'

function inWords(error: unknown, url: URL): string {
  const { code, message } = error as { code?: string; message?: string }
  return causes[code ?? '']?.(url) ?? message ?? String(error)
}
