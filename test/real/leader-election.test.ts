import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { configMaps, namespaces } from '../../src/api/kubernetes/resources.ts'
import type { Kube } from '../../src/kube/client/client.ts'
import { connect } from '../cluster/connect.ts'
import { electionNames, pausePoints, shortDurations } from './leader-names.ts'
import { ownCluster } from './own-cluster.ts'

const { namespace, acts } = electionNames

interface Candidate extends AsyncDisposable {
  readonly identity: string
  readonly process: ChildProcess
  readonly complaints: string[]
}

function startCandidate(kubeconfigPath: string, identity: string): Candidate {
  const script = join(import.meta.dirname, 'leader-candidate.ts')
  const child = spawn(process.execPath, [script, kubeconfigPath, identity], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const complaints: string[] = []
  child.stderr?.on('data', (text) => complaints.push(String(text)))
  return {
    identity,
    process: child,
    complaints,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Who wrote, in the order of the API server: one entry per write, none is missed. */
async function recordActors(kube: Kube, actors: string[], signal: AbortSignal): Promise<void> {
  const { metadata } = await kube.create(configMaps, { metadata: { namespace, name: acts } })
  const watch = kube.watch(configMaps, {
    namespace,
    fieldSelector: `metadata.name=${acts}`,
    resourceVersion: metadata.resourceVersion,
    timeoutSeconds: 600,
    signal,
  })
  for await (const event of watch) {
    if (event.kind === 'modified') actors.push(event.object.data?.['actor'] ?? '')
  }
}

const turns = (actors: readonly string[]) => actors.filter((actor, at) => actor !== actors[at - 1])

test('a holder paused beyond its lease and continued never writes after the other one has', async () => {
  await using connection = await connect(ownCluster())
  const { kube } = connection
  await kube.create(namespaces, { metadata: { name: namespace } })
  const actors: string[] = []
  const stop = new AbortController()
  const recording = recordActors(kube, actors, stop.signal).catch(() => {})
  await expect.poll(() => kube.get(configMaps, { namespace, name: acts })).toBeDefined()

  await using first = startCandidate(ownCluster().kubeconfigPath, 'first')
  await using second = startCandidate(ownCluster().kubeconfigPath, 'second')
  const candidates = new Map([first, second].map((candidate) => [candidate.identity, candidate]))
  await expect.poll(() => actors.length, { timeout: 20_000 }).toBeGreaterThan(20)

  for (const [round, point] of pausePoints.entries()) {
    const holder = actors.at(-1) ?? ''
    candidates.get(holder)?.process.send(point)
    await expect.poll(() => actors.at(-1), { timeout: 20_000, interval: 20 }).not.toBe(holder)
    const takenOverAt = actors.length
    await expect.poll(() => actors.length, { interval: 20 }).toBeGreaterThan(takenOverAt + 20)
    candidates.get(holder)?.process.kill('SIGCONT')
    // Time enough for whatever it had in hand when it was paused.
    await pause(shortDurations.leaseMs / 2)
    expect(turns(actors), `after a pause ${point}`).toHaveLength(round + 2)
  }

  // A holder that is asked to stop gives the lease away at once: no waiting for its end.
  const leaving = candidates.get(actors.at(-1) ?? '')
  leaving?.process.kill('SIGTERM')
  await expect
    .poll(() => turns(actors).length, { timeout: shortDurations.leaseMs, interval: 20 })
    .toBe(pausePoints.length + 2)
  expect(leaving?.complaints.concat(first.complaints, second.complaints)).toEqual([])
  stop.abort(new Error('the test is over'))
  await recording
}, 120_000)
