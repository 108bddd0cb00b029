import type { Method } from '../../src/kube/client/transport.ts'
import { type Collections, leave } from './leave.ts'
import { normalize } from './normalize.ts'
import type { Answer, Ground, Scenario, SendOptions, WatchedEvent, World } from './scenario.ts'

const stepMs = 50
/** Not everything that a story waits for is written down: some of it only an API server or a watch knows. */
const unwrittenStepMs = 250
/** Most of that happens within this time. */
const promptMs = 2_000
const patientStepMs = 1_000
/**
 * Kubernetes takes up to 80 seconds to remove a pod whose node is gone: 40 of quarantine, between looks 20 apart. And its
 * disruption controller knows evicted pods by their names: where it is too slow to see a pod of a StatefulSet gone, the
 * next one of that name counts as disrupted for two minutes.
 */
const patienceMs = 150_000

/** Tells one scenario to one ground and returns what it observed, made comparable. */
export async function runScenario(scenario: Scenario, ground: Ground, namespace: string): Promise<unknown[]> {
  const observations: unknown[] = []
  const filled: Collections = new Set()
  const fill = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll('NS', namespace)) as unknown
  const request = async (method: Method, path: string, body: unknown, options: SendOptions = {}): Promise<Answer> => {
    const headers = {
      ...(options.contentType === undefined ? {} : { 'content-type': options.contentType }),
      ...(options.as === undefined ? {} : { 'impersonate-user': options.as.replaceAll('NS', namespace) }),
    }
    const { status, body: answer } = await ground.transport.request({
      method,
      path: path.replaceAll('NS', namespace),
      headers,
      ...(options.query === undefined ? {} : { query: options.query }),
      ...(body === undefined ? {} : { body: fill(body) }),
    })
    if (method === 'POST') filled.add(path)
    return { status, body: answer as Record<string, unknown> }
  }
  const observe = (what: string, value: unknown) => void observations.push(normalize({ what, value }, namespace))
  const world: World = {
    namespace,
    observe,
    send: async (method, path, body, options) => {
      const answer = await request(method, path, body, options)
      observe(`${method} ${path}`, { status: answer.status, ...statusOf(answer.body) })
      return answer
    },
    forget: async () => {
      if (ground.forget === undefined) throw new Error(`${ground.name} forgets nothing`)
      await ground.forget()
    },
    update: (path, body) => request('PUT', path, body),
    attempt: (method, path, body, options) => request(method, path, body, options),
    read: (path, query) => request('GET', path, undefined, query === undefined ? {} : { query }),
    watch: async (path, query, count) => {
      const events = await readWatch(ground, path.replaceAll('NS', namespace), query, count)
      observe(`watch ${path}`, events.map(shortened))
      return events
    },
    arrange: async (method, path, body, options) => {
      const answer = await request(method, path, body, options)
      if (answer.status >= 300)
        throw new Error(`${ground.name}: ${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer
    },
    eventually: async (what, read, isRight) => {
      using follower = ground.changes?.follow(namespace)
      const step = async (waitedMs: number) => {
        if (follower !== undefined) return follower.next(waitedMs < promptMs ? unwrittenStepMs : patientStepMs)
        await ground.pass(stepMs)
        return stepMs
      }
      for (let waitedMs = 0; ; waitedMs += await step(waitedMs)) {
        const value = await read()
        if (isRight(value)) return value
        if (waitedMs > patienceMs)
          throw new Error(`${ground.name}: ${what} did not happen; last seen: ${JSON.stringify(value)}`)
      }
    },
  }
  await world.arrange('POST', '/api/v1/namespaces', { metadata: { name: namespace } })
  try {
    await scenario.run(world)
  } finally {
    if (ground.isShared === true) await leave(world, filled)
  }
  return observations
}

async function readWatch(
  ground: Ground,
  path: string,
  query: Readonly<Record<string, string>>,
  count: number,
): Promise<WatchedEvent[]> {
  const stop = new AbortController()
  const answer = await ground.transport.watch({
    method: 'GET',
    path,
    query: { watch: 'true', ...query },
    signal: stop.signal,
  })
  if (answer.kind === 'refused')
    return [{ type: `refused ${answer.status}`, object: answer.body as Record<string, unknown> }]
  const events: WatchedEvent[] = []
  try {
    for await (const { type, object } of answer.events) {
      events.push({ type, object: object as Record<string, unknown> })
      if (events.length === count) break
    }
  } finally {
    stop.abort(new Error('seen enough'))
  }
  return events
}

/** Of an event what tells it from others: which object, in which state. */
function shortened({ type, object }: WatchedEvent): unknown {
  const { name, labels, deletionTimestamp } = (object['metadata'] ?? {}) as Record<string, unknown>
  return { type, name, labels, isGoing: deletionTimestamp !== undefined, ...statusOf(object), data: object['data'] }
}

/** Of a failure all that a client reads; of a success nothing, because what matters of it is read again. */
function statusOf(body: Record<string, unknown>): object {
  if (body['kind'] !== 'Status' || body['status'] !== 'Failure') return {}
  const { reason, message, code, details } = body
  return { reason, message, code, details }
}
