import { request, Agent } from 'node:https'
import { text } from 'node:stream/consumers'
import type { IncomingMessage } from 'node:http'
import { once } from 'node:events'

// What any pod of a cluster can do: connects to the webhook port, in a process of its own, and sends reviews that it made
// up. Reads what to send from stdin, and prints what came back.

/** What is sent: each body under each path, by each method. */
export interface Forgery {
  readonly port: number
  readonly methods: readonly string[]
  readonly paths: readonly string[]
  readonly bodies: readonly string[]
}

/** By `STATUS HEADERS BODY`: how many answers were like that, and one of the paths. */
export type Answers = Readonly<Record<string, { readonly count: number; readonly path: string }>>

const atOnce = 8

async function forge({ port, methods, paths, bodies }: Forgery): Promise<Answers> {
  // Whoever forges does not care whom it talks to.
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce, rejectUnauthorized: false })
  const letters = methods.flatMap((method) =>
    paths.flatMap((path) => bodies.map((body) => ({ method, path, body }) as const)),
  )
  const answers: Record<string, { count: number; path: string }> = {}
  const queue = letters.values()
  const sendOn = async () => {
    for (const { method, path, body } of queue) {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const sent = request({ host: '127.0.0.1', port, path, method, headers, agent })
      sent.end(body)
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      const said = `${answer.statusCode} ${Object.keys(answer.headers).toSorted().join()} ${await text(answer)}`
      answers[said] = { count: (answers[said]?.count ?? 0) + 1, path }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sendOn))
  agent.destroy()
  return answers
}

if (import.meta.main) {
  const forgery = JSON.parse(await text(process.stdin)) as Forgery
  process.stdout.write(JSON.stringify(await forge(forgery)))
}
