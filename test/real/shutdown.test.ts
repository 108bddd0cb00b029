import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { mailboxNameOf, reportOf } from '../../src/api/maintenance/agent-mailbox.ts'
import type { ShutdownReport } from '../../src/api/maintenance/agent-shutdown.ts'
import { leases, namespaces } from '../../src/api/kubernetes/resources.ts'
import { annotations } from '../../src/api/names.ts'
import { unlessNotFound } from '../../src/kube/client/errors.ts'
import { openServedCluster } from '../build/served-cluster.ts'
import { openGate } from '../cluster/logind/gate.ts'
import { startLogindMachine, type LogindMachine } from '../cluster/logind/machine.ts'
import { missingForLogind } from '../cluster/logind/requirements.ts'
import { isContinuousIntegration } from '../continuous-integration.ts'

// Shutdowns of a machine with the real systemd-logind and the real process of the agent. The test is the manager: it
// writes into the mailbox which shutdown may continue. The API server is the embedded one, over HTTP.

const missing = await missingForLogind()
if (missing.length > 0) console.log(`left out: shutdowns with the real logind, for want of ${missing.join(', ')}`)

const root = join(import.meta.dirname, '..', '..')
const namespace = 'lifeboat-system'
const key = { namespace, name: mailboxNameOf('one') }
/** Generous: the machine may have much to do. What must not happen before something else is compared by time. */
const withinMs = 60_000
/** Long enough for something to go wrong in. */
const whileMs = 1_000

/** Resolves with what is found. The error says what everything on the machine wrote. */
async function eventually<T>(machine: LogindMachine, what: string, read: () => Promise<T | undefined>): Promise<T> {
  for (const giveUpAtMs = Date.now() + withinMs; Date.now() < giveUpAtMs;) {
    const found = await read()
    if (found !== undefined) return found
    await pause(20)
  }
  throw new Error(`it never came about: ${what}\n${await machine.logs()}`)
}

interface WorldOptions {
  /** What the agent asks logind for. */
  readonly budget?: string
  readonly withoutLock?: boolean
  /** Whether the way to the API server is shut when the agent starts. */
  readonly isShut?: boolean
  /** What else is configured on the machine: the file is read after that of the agent. */
  readonly lastDropIn?: string
}

/** A machine with a lock and an agent, and a mailbox. */
async function openWorld({ budget = '10m', withoutLock = false, isShut = false, lastDropIn }: WorldOptions = {}) {
  await using opening = new AsyncDisposableStack()
  const cluster = opening.use(await openServedCluster())
  await cluster.admin.create(namespaces, { metadata: { name: namespace } })
  const gate = opening.use(await openGate(Number(new URL(cluster.url).port)))
  const machine = opening.use(await startLogindMachine())
  const kubeconfig = join(machine.folder, 'kubeconfig')
  const server = `https://127.0.0.1:${gate.port}`
  await writeFile(kubeconfig, (await readFile(cluster.kubeconfig, 'utf8')).replaceAll(cluster.url, server))
  const words = ['agent', '--kubeconfig', kubeconfig, '--node', 'one', '--pod-name', 'agent-x', '--pod-uid', 'u']
  const program = [join(root, 'src', 'cli', 'main.ts'), ...words, '--shutdown', '--shutdown-budget', budget]
  const startAgent = () => machine.start(join(root, 'node_modules', '.bin', 'node'), program)
  const mailbox = () => unlessNotFound(cluster.admin.get(leases, key))
  const report = async () => {
    const found = await mailbox()
    return found === undefined ? undefined : reportOf(found)?.shutdown
  }
  if (!withoutLock) await machine.lock('Lifeboat')
  if (isShut) gate.shut()
  if (lastDropIn !== undefined) {
    const script = 'mkdir -p "$1" && printf "$2" > "$1/zzz.conf"'
    await machine.run('sh', ['-c', script, 'sh', '/run/systemd/logind.conf.d', lastDropIn])
  }
  let agent = await startAgent()
  const open = opening.move()
  const world = {
    machine,
    gate,
    report,
    mailbox,
    agent: () => agent,
    killAgent: () => agent.kill(),
    startAgent: async () => {
      agent = await startAgent()
    },
    /** Resolves when the agent says what is looked for. */
    until: (what: string, isIt: (report: ShutdownReport) => boolean) =>
      eventually(machine, what, async () => {
        const found = await report()
        return found !== undefined && isIt(found) ? found : undefined
      }),
    /** As the manager: the node is drained. Resolves with the time at which that was not yet written. */
    letGo: async (id: string): Promise<number> => {
      const beforeMs = Date.now()
      const body = { metadata: { annotations: { [annotations.agentShutdown]: id } } }
      await cluster.admin.patch(leases, key, { type: 'merge', body })
      return beforeMs
    },
    down: () => eventually(machine, 'the machine goes down', async () => (await machine.startedUnits())[0]),
    /** Resolves when the agent has logged that. */
    says: (line: string) =>
      eventually(machine, line, async () => ((await agent.output()).includes(line) ? true : undefined)),
    isUp: async () => (await machine.startedUnits()).length === 0,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
  return world
}

type World = Awaited<ReturnType<typeof openWorld>>

const untilReady = (world: World) => world.until('all is well', ({ problems }) => problems.length === 0)

async function untilSignalled(world: World): Promise<string> {
  const { going } = await world.until('it is signalled', (report) => report.going?.phase === 'Signalled')
  return going?.id ?? ''
}

/** The end of every story: the shutdown waits until the manager has written, and not a second longer. */
async function goesWhenItMay(world: World, id: string): Promise<void> {
  await pause(whileMs)
  expect(await world.isUp()).toBe(true)
  const letGoMs = await world.letGo(id)
  const { unit, atMs } = await world.down()
  expect(unit).toBe('reboot.target')
  expect(atMs).toBeGreaterThanOrEqual(letGoMs)
}

/** Of the two that the agent hears of a shutdown from, and how what goes with logind is started again. */
const deaths = [
  { what: 'logind', kill: (world: World) => world.machine.killLogind(), restart: async () => {} },
  {
    what: 'the bus',
    kill: (world: World) => world.machine.killBus(),
    restart: (world: World) => world.machine.startBus(),
  },
]

/** Each starts a few processes, which is slow on a machine that has much to do. */
const timeout = 240_000
const isLeftOut = missing.length > 0 && !isContinuousIntegration()

describe.skipIf(isLeftOut)('shutdowns with the real logind', { timeout }, () => {
  test('G2: a reboot is told within moments, waits until the node is drained, and not a second longer', async () => {
    await using world = await openWorld()
    expect(await untilReady(world)).toEqual({ mode: 'Prefer', budgetSeconds: 600, problems: [] })
    await world.machine.reboot()
    const askedMs = Date.now()
    const id = await untilSignalled(world)
    expect(Date.now() - askedMs).toBeLessThan(10_000)
    await pause(whileMs)
    expect(await world.isUp()).toBe(true)
    const letGoMs = await world.letGo(id)
    const { atMs } = await world.down()
    expect(atMs - letGoMs).toBeGreaterThanOrEqual(0)
    expect(atMs - letGoMs).toBeLessThan(10_000)
  })

  test('after the signal nobody gets a new lock', async () => {
    await using world = await openWorld()
    await untilReady(world)
    await world.machine.reboot()
    const id = await untilSignalled(world)
    await expect(world.machine.run('systemd-inhibit', ['--what=shutdown', '--mode=delay', 'true'])).rejects.toThrow(
      /already running/,
    )
    await goesWhenItMay(world, id)
  })

  test('goes with the last lock: another one holds it after ours is freed', async () => {
    await using world = await openWorld()
    const other = await world.machine.lock('somebody')
    await untilReady(world)
    await world.machine.reboot()
    await world.letGo(await untilSignalled(world))
    await world.says('let go of the lock')
    await pause(whileMs)
    expect(await world.isUp()).toBe(true)
    const beforeMs = Date.now()
    await other.kill()
    const { atMs } = await world.down()
    expect(atMs - beforeMs).toBeGreaterThanOrEqual(0)
  })

  test('logind is killed during the delay: the shutdown is forgotten and told so, and the next one is another', async () => {
    await using world = await openWorld()
    await untilReady(world)
    await world.machine.reboot()
    const first = await untilSignalled(world)
    await world.machine.killLogind()
    await world.machine.startLogind()
    await world.until('it is off', (report) => report.going === undefined && report.problems.length === 0)
    // Too late: it must not free the lock that the next one needs.
    await world.letGo(first)
    await pause(whileMs)
    expect(await world.isUp()).toBe(true)
    await world.machine.reboot()
    const second = await untilSignalled(world)
    expect(second).not.toBe(first)
    await goesWhenItMay(world, second)
  })

  test('the bus is killed during the delay: unknown is not cancelled; back, it is forgotten', async () => {
    await using world = await openWorld()
    await untilReady(world)
    await world.machine.reboot()
    const id = await untilSignalled(world)
    await world.machine.killBus()
    const unknown = await world.until('nobody answers', ({ problems }) => problems[0]?.kind === 'noLogind')
    expect(unknown).toMatchObject({ mode: 'Unknown', going: { id, phase: 'Signalled' } })
    await world.machine.startBus()
    await world.machine.startLogind()
    const { going } = await untilReady(world)
    expect(going).toBeUndefined()
    // The new bus is followed: a signal of it is told.
    await world.machine.reboot()
    await goesWhenItMay(world, await untilSignalled(world))
  })

  test.each(deaths)('$what is killed before the signal: the next one is followed', async ({ kill, restart }) => {
    await using world = await openWorld()
    await untilReady(world)
    await kill(world)
    await world.until('nobody answers', ({ problems }) => problems[0]?.kind === 'noLogind')
    await restart(world)
    await world.machine.startLogind()
    await untilReady(world)
    await world.machine.reboot()
    await goesWhenItMay(world, await untilSignalled(world))
  })

  test.each(deaths)(
    '$what is killed after our lock was freed: forgotten, and a lock that is taken again holds the next',
    async ({ kill, restart }) => {
      await using world = await openWorld()
      await world.machine.lock('somebody')
      await untilReady(world)
      await world.machine.reboot()
      await world.letGo(await untilSignalled(world))
      await world.says('let go of the lock')
      await kill(world)
      await restart(world)
      await world.machine.startLogind()
      const { problems } = await world.until('it is off', (report) => report.going === undefined)
      expect(problems.map(({ kind }) => kind)).toEqual(['noLock'])
      // As the kubelet starts its container again.
      await world.machine.lock('Lifeboat')
      await untilReady(world)
      await world.machine.reboot()
      await untilSignalled(world)
      await pause(whileMs)
      expect(await world.isUp()).toBe(true)
    },
  )

  test('the agent is killed before the signal, and starts during the delay', async () => {
    await using world = await openWorld()
    await untilReady(world)
    await world.killAgent()
    await world.machine.reboot()
    await pause(whileMs)
    await world.startAgent()
    await goesWhenItMay(world, await untilSignalled(world))
  })

  test('the agent is killed after the signal: the lock stays, and so does the id', async () => {
    await using world = await openWorld()
    await untilReady(world)
    await world.machine.reboot()
    const id = await untilSignalled(world)
    await world.killAgent()
    await pause(whileMs)
    await world.startAgent()
    await world.says('ready on node')
    await goesWhenItMay(world, id)
    expect((await world.report())?.going?.id).toBe(id)
  })

  test('the agent is killed before it is drained: nothing goes until there is one again', async () => {
    await using world = await openWorld()
    await untilReady(world)
    await world.machine.reboot()
    const id = await untilSignalled(world)
    await world.killAgent()
    await world.letGo(id)
    await pause(whileMs)
    expect(await world.isUp()).toBe(true)
    const beforeMs = Date.now()
    await world.startAgent()
    expect((await world.down()).atMs).toBeGreaterThanOrEqual(beforeMs)
  })

  test('the agent is killed in the moment in which it may go: the next one lets it', async () => {
    await using world = await openWorld()
    await untilReady(world)
    await world.machine.reboot()
    const id = await untilSignalled(world)
    const [letGoMs] = await Promise.all([world.letGo(id), world.killAgent()])
    await world.startAgent()
    expect((await world.down()).atMs).toBeGreaterThanOrEqual(letGoMs)
  })

  test('a lock named kubelet beside ours: the agent assists, also when the kubelet is done', async () => {
    await using world = await openWorld()
    const kubelet = await world.machine.lock('kubelet')
    await world.until('it assists', ({ mode }) => mode === 'Assist')
    await world.machine.reboot()
    const id = await untilSignalled(world)
    await kubelet.kill()
    await pause(whileMs)
    expect(await world.report()).toMatchObject({ mode: 'Assist', going: { id } })
    await goesWhenItMay(world, id)
  })

  test('the agent has logind wait as long as it is told to, and gives that back when it leaves for good', async () => {
    await using world = await openWorld({ budget: '20s' })
    expect((await untilReady(world)).budgetSeconds).toBe(20)
    expect(await world.machine.budgetSeconds()).toBe(20)
    const dropIn = await world.machine.run('cat', ['/run/systemd/logind.conf.d/zz-lifeboat.conf'])
    expect(dropIn).toContain('InhibitDelayMaxSec=20\n')
    // There is no DaemonSet: it leaves for good.
    await world.agent().kill('SIGTERM')
    await eventually(world.machine, 'logind is as before', async () =>
      (await world.machine.budgetSeconds()) === 5 ? true : undefined,
    )
    expect(await world.mailbox()).toBeUndefined()
  })

  test('a drop-in that counts more than ours is told as a short budget', async () => {
    await using world = await openWorld({ budget: '20s', lastDropIn: '[Login]\nInhibitDelayMaxSec=7\n' })
    const { problems, budgetSeconds } = await world.until('it says so', (report) => report.problems.length > 0)
    expect([problems.map(({ kind }) => kind), budgetSeconds]).toEqual([['shortBudget'], 7])
  })

  test('without the lock it says that a shutdown would not wait', async () => {
    await using world = await openWorld({ withoutLock: true })
    const { problems } = await world.until('it says so', (report) => report.problems.length > 0)
    expect(problems.map(({ kind }) => kind)).toEqual(['noLock'])
  })

  test('G6: the API server is back during the delay: the shutdown is told, and waits for the drain', async () => {
    await using world = await openWorld()
    await untilReady(world)
    world.gate.shut()
    await world.machine.reboot()
    await pause(3_000)
    world.gate.open()
    await goesWhenItMay(world, await untilSignalled(world))
  })

  test('an agent that starts while the API server is away waits for it, with one line', async () => {
    await using world = await openWorld({ isShut: true })
    // That needs no API server.
    await eventually(world.machine, 'the budget', async () =>
      (await world.machine.budgetSeconds()) === 600 ? true : undefined,
    )
    await world.machine.reboot()
    await pause(4_000)
    const waiting = (await world.agent().output()).split('\n').filter((line) => line.includes('waiting for the API'))
    expect(waiting).toHaveLength(1)
    world.gate.open()
    await goesWhenItMay(world, await untilSignalled(world))
  })
})

// Mostly they wait for a time to come.
describe.skipIf(isLeftOut)('shutdowns at a time, with the real logind', { timeout, concurrent: true }, () => {
  test('a scheduled shutdown is seen before its time, and seen to be cancelled', async () => {
    await using world = await openWorld()
    await untilReady(world)
    const at = new Date(Date.now() + 1_800_000)
    await world.machine.schedule('poweroff', at.getTime())
    const { going } = await world.until('it is scheduled', (report) => report.going !== undefined)
    expect(going).toMatchObject({ phase: 'Scheduled', action: 'poweroff', at: at.toISOString() })
    await world.machine.cancelScheduled()
    await world.until('it is off', (report) => report.going === undefined)
    expect(await world.isUp()).toBe(true)
  })

  test('a shutdown that is scheduled beyond the lead time is none yet', async () => {
    await using world = await openWorld()
    await world.machine.schedule('reboot', Date.now() + 7_200_000)
    const { going } = await untilReady(world)
    expect(going).toBeUndefined()
  })

  test('a scheduled shutdown that was drained before its time goes with the signal, under the same id', async () => {
    await using world = await openWorld()
    await untilReady(world)
    const atMs = Date.now() + 25_000
    await world.machine.schedule('reboot', atMs)
    const { going } = await world.until('it is scheduled', (report) => report.going !== undefined)
    await world.letGo(going?.id ?? '')
    const down = await world.down()
    expect(down.atMs).toBeGreaterThanOrEqual(atMs)
    expect(await untilSignalled(world)).toBe(going?.id)
  })

  test('G6: without the API server the lock holds until the limit of logind, and no longer', async () => {
    await using world = await openWorld({ budget: '6s' })
    await untilReady(world)
    world.gate.shut()
    const beforeMs = Date.now()
    await world.machine.reboot()
    const { atMs } = await world.down()
    expect(atMs - beforeMs).toBeGreaterThanOrEqual(5_500)
    expect((await world.report())?.going).toBeUndefined()
  })
})
