import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startLifeboat } from '../test/cluster/lifeboat.ts'
import { buildRelease } from './build-release.ts'
import { answerOf } from './child-answer.ts'
import { allowInspection, collectGarbage } from './collect-garbage.ts'
import type { ClusterMessage, IdleRequest } from './idle-cluster.ts'
import { heapOf, memoryOf } from './process-memory.ts'
import { processorTimes, timeBetween } from './processor-time.ts'

export interface IdleOptions {
  readonly nodes: number
  readonly pods: number
  /** Of this many nodes. */
  readonly agents?: number
  /** How often each node writes its status: every five minutes if left out, as kubelets do when nothing changes. */
  readonly reportEverySeconds?: number
  readonly gatesOff?: readonly string[]
  readonly settleSeconds: number
  readonly measureSeconds: number
}

export interface IdleFigures {
  /** Resident, at its highest while measured. */
  readonly memoryMegabytes: number
  readonly heapMegabytes: number
  /** Resident, when what is not needed has been cleared away. */
  readonly heldMegabytes: number
  /** Of a core. */
  readonly processorPercent: number
  readonly requestsPerSecond: number
  /** How many of the watches that were begun end in a second, by what was agreed on with the API server. */
  readonly renewalsPerSecond: number
  /** By name, the most frequent first. */
  readonly requests: readonly (readonly [name: string, count: number])[]
  /** What it follows, since its start. */
  readonly watches: readonly string[]
  /** Lists and watches of pods since its start. */
  readonly podReads: readonly string[]
}

/** What Lifeboat costs in a cluster where there is nothing to do. */
export async function measureIdle({
  settleSeconds,
  measureSeconds,
  agents = 0,
  gatesOff = [],
  ...size
}: IdleOptions): Promise<IdleFigures> {
  allowInspection()
  await using release = await buildRelease()
  await using cluster = await IdleCluster.start(size)
  await using _agents = agents === 0 ? undefined : await rollOutAgents(cluster.kubeconfigPath, agents, release.path)
  await using lifeboat = await startLifeboat(cluster.kubeconfigPath, flagsOf(gatesOff), release.path)
  await pause(settleSeconds * 1_000)
  const before = await cluster.takeRequests()
  const processes = new Map([['lifeboat', lifeboat.pid]])
  const usedBefore = await processorTimes(processes)
  let memoryMegabytes = 0
  for (let second = 0; second < measureSeconds; second++) {
    await pause(1_000)
    memoryMegabytes = Math.max(memoryMegabytes, await memoryOf(lifeboat.pid))
  }
  const used = timeBetween(usedBefore, await processorTimes(processes)).get('lifeboat') ?? 0
  const during = await cluster.takeRequests()
  const heapMegabytes = await heapOf(lifeboat.url)
  await collectGarbage(lifeboat)
  const names = countByName([...before, ...during]).map(([name]) => name)
  return {
    memoryMegabytes,
    heapMegabytes,
    heldMegabytes: await memoryOf(lifeboat.pid),
    processorPercent: used / (measureSeconds * 10),
    requestsPerSecond: during.length / measureSeconds,
    renewalsPerSecond: renewalsPerSecond([...before, ...during]),
    requests: countByName(during),
    watches: names.filter((name) => name.startsWith('WATCH')),
    podReads: names.filter(readsPods),
  }
}

/**
 * Agents that Lifeboat has seen before: what it costs that thousands of them come at once is gone with the process that
 * saw them come.
 */
async function rollOutAgents(kubeconfigPath: string, count: number, program: string): Promise<AsyncDisposable> {
  await using _lifeboat = await startLifeboat(kubeconfigPath, [], program)
  const child = fork(join(import.meta.dirname, 'agents-process.ts'), [kubeconfigPath, String(count)])
  const ended = once(child, 'exit')
  await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => {
      throw new Error(`the agents ended with ${String(code)}`)
    }),
  ])
  return {
    [Symbol.asyncDispose]: async () => {
      child.disconnect()
      await ended
    },
  }
}

class IdleCluster implements AsyncDisposable {
  readonly kubeconfigPath: string
  readonly #child: ChildProcess

  constructor(child: ChildProcess, kubeconfigPath: string) {
    this.#child = child
    this.kubeconfigPath = kubeconfigPath
  }

  static async start(size: Pick<IdleOptions, 'nodes' | 'pods' | 'reportEverySeconds'>): Promise<IdleCluster> {
    const { nodes, pods, reportEverySeconds = 300 } = size
    const child = fork(join(import.meta.dirname, 'idle-cluster.ts'), [nodes, pods, reportEverySeconds].map(String))
    const { kubeconfigPath } = await answerOf<ClusterMessage, 'ready'>(child, 'ready')
    return new IdleCluster(child, kubeconfigPath)
  }

  /** Those that came since the last time. */
  async takeRequests(): Promise<readonly IdleRequest[]> {
    const answered = answerOf<ClusterMessage, 'requests'>(this.#child, 'requests')
    this.#child.send('requests')
    return (await answered).requests
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
  }
}

function flagsOf(gatesOff: readonly string[]): string[] {
  return gatesOff.length === 0 ? [] : ['--feature-gates', gatesOff.map((gate) => `${gate}=false`).join(',')]
}

function countByName(requests: readonly IdleRequest[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const request of requests) counts.set(nameOf(request), (counts.get(nameOf(request)) ?? 0) + 1)
  return [...counts].toSorted(([, one], [, other]) => other - one)
}

/** `WATCH /api/v1/pods?labelSelector=held`: without what differs from one such request to the next. */
export function nameOf({ method, url }: Pick<IdleRequest, 'method' | 'url'>): string {
  const { pathname, searchParams } = new URL(url, 'http://cluster')
  const selectors = ['labelSelector', 'fieldSelector'].flatMap((name) => {
    const value = searchParams.get(name)
    return value === null ? [] : [`${name}=${value}`]
  })
  const verb = searchParams.get('watch') === 'true' ? 'WATCH' : method
  return `${verb} ${pathname}${selectors.length === 0 ? '' : `?${selectors.join('&')}`}`
}

/** Watches that follow the same count once: the last is the one that is open. */
export function renewalsPerSecond(requests: readonly Pick<IdleRequest, 'method' | 'url'>[]): number {
  const secondsByName = new Map<string, number>()
  for (const request of requests) {
    const { searchParams } = new URL(request.url, 'http://cluster')
    const seconds = Number(searchParams.get('timeoutSeconds'))
    if (searchParams.get('watch') === 'true' && seconds > 0) secondsByName.set(nameOf(request), seconds)
  }
  if (secondsByName.size === 0) return 0
  const mean = [...secondsByName.values()].reduce((sum, seconds) => sum + seconds, 0) / secondsByName.size
  return secondsByName.size / mean
}

/** Of all namespaces, or of one; not of a single pod. */
export function readsPods(name: string): boolean {
  return /^(GET|WATCH) \/api\/v1\/(namespaces\/[^/]+\/)?pods(\?|$)/.test(name)
}
