import { isContinuousIntegration } from '../continuous-integration.ts'
import type { Transport, TransportRequest, TransportResponse } from '../../src/kube/client/transport.ts'

/** Where a process dies: before a write leaves, after the server carried it out, or after the answer has arrived. */
export const killMoments = ['before', 'committed', 'answered'] as const
export type KillMoment = (typeof killMoments)[number]

/** Which of them this run begins with. */
const drawn = Math.floor(Math.random() * killMoments.length)

/** All of them in continuous integration. Elsewhere one for each write, by turns, and others in each run. */
export function killMomentsAt(write: number): readonly KillMoment[] {
  return killMoments.filter((_, at) => isContinuousIntegration() || at === (write + drawn) % killMoments.length)
}

export interface KillPoint {
  /** The how manieth write, from 1. */
  readonly write: number
  readonly moment: KillMoment
}

/** What a process sends until it dies at the point; from then on it sends nothing, and nothing answers it. */
export function killedAt(transport: Transport, point: KillPoint, died: () => void): Transport {
  let writes = 0
  let isDead = false
  const die = () => {
    isDead = true
    died()
  }
  const request = async (sent: TransportRequest): Promise<TransportResponse> => {
    if (isDead) return silence(sent)
    if (sent.method === 'GET' || ++writes !== point.write) {
      const answer = await transport.request(sent)
      return isDead ? silence(sent) : answer
    }
    if (point.moment === 'before') {
      die()
      return silence(sent)
    }
    // Nobody is there to hear of it, so it must not end with the one who sent it.
    const { signal: _signal, ...kept } = sent
    const answer = await transport.request(kept)
    die()
    return point.moment === 'committed' ? silence(sent) : answer
  }
  return {
    request,
    watch: async (sent) => (isDead ? silence(sent) : transport.watch(sent)),
    close: () => transport.close(),
  }
}

/** Ends only with whoever waits. */
function silence({ signal }: TransportRequest): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  if (signal?.aborted === true) reject(signal.reason)
  signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise
}

export const neverKilled: KillPoint = { write: Number.POSITIVE_INFINITY, moment: 'before' }

export interface StoryWatch {
  readonly hasBegun: () => boolean
  readonly count: () => void
  readonly died: () => void
}

/** The Lease and events are written all the time, and are none of the story. */
export function storyWrites(transport: Transport, point: KillPoint, { hasBegun, count, died }: StoryWatch): Transport {
  const mortal = killedAt(transport, point, died)
  const isStory = (path: string) => hasBegun() && !/\/(leases|events|subjectaccessreviews)(\/|$)/.test(path)
  return {
    request: (request) => {
      if (!isStory(request.path)) return transport.request(request)
      if (request.method !== 'GET') count()
      return mortal.request(request)
    },
    watch: (request) => mortal.watch(request),
    close: () => transport.close(),
  }
}
