// One candidate of the leader election test, as a process of its own: while it leads it writes as fast as it can.
import { configMaps } from '../../src/api/kubernetes/resources.ts'
import { NotLeadingError } from '../../src/kube/client/fenced-transport.ts'
import { LeaderElection } from '../../src/kube/lease/leader-election.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { sleep } from '../../src/runtime/clock.ts'
import { systemClock, systemRandom } from '../../src/runtime/system.ts'
import { connect } from '../cluster/connect.ts'
import { electionNames, shortDurations, type PausePoint } from './leader-names.ts'

const [kubeconfigPath = '', identity = ''] = process.argv.slice(2)
await using connection = await connect({ kubeconfigPath })
const election = new LeaderElection({
  kube: connection.kube,
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  namespace: electionNames.namespace,
  name: electionNames.lease,
  identity,
  durations: shortDurations,
})
const fenced = connection.fenced(() => election.isLeading())
const stop = new AbortController()
process.on('SIGTERM', () => stop.abort(new Error('SIGTERM')))

let pauseAt: PausePoint | undefined
process.on('message', (point: PausePoint) => {
  pauseAt = point
})

/** Does not return before somebody lets the process go on. */
function passing(point: PausePoint): void {
  if (pauseAt !== point) return
  pauseAt = undefined
  process.kill(process.pid, 'SIGSTOP')
}

let acts = 0
await election.run(stop.signal, async (leading) => {
  while (!leading.aborted) {
    passing('betweenWrites')
    const patch = { type: 'merge', body: { data: { actor: identity, act: String(++acts) } } } as const
    const mayStillLead = election.isLeading()
    passing('beforeTheFence')
    try {
      // What a controller does that checked a moment ago: the fence has to notice that the moment is over.
      const written = mayStillLead
        ? fenced.patch(configMaps, { namespace: electionNames.namespace, name: electionNames.acts }, patch)
        : sleep(systemClock, 50)
      // Its failure is looked at below; until then it must not count as unhandled.
      written.catch(() => {})
      passing('queued')
      await sleep(systemClock, 0)
      passing('inFlight')
      await written
    } catch (error) {
      // A write that was kept back is the point of the fence; a server out of reach ends the turn by itself.
      if (!(error instanceof NotLeadingError)) process.stderr.write(`${identity}: ${String(error)}\n`)
    }
  }
})
process.disconnect?.()
