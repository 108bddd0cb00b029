import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findLogind, pythonPath } from './requirements.ts'

// A machine with the real systemd-logind, in PID and mount namespaces of its own: its /run is empty, its bus is private,
// and its systemd only writes down what it is asked to start. All of it ends with the first process of the namespace,
// which ends with the pipe that this process holds.

export interface StartedUnit {
  readonly unit: string
  readonly atMs: number
}

/** A process on the machine. */
export interface MachineProcess {
  kill(signal?: NodeJS.Signals): Promise<void>
  /** What it has written so far, to both its outputs. */
  output(): Promise<string>
  readonly exited: Promise<number | null>
}

const inside = { folder: '/run/lifeboat-test', bus: '/run/lifeboat-test/bus' }
const busAddress = `unix:path=${inside.bus}`
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const logindObject = ['org.freedesktop.login1', '/org/freedesktop/login1', 'org.freedesktop.login1.Manager']
const readyWithinMs = 30_000

/** The first process: there is nothing in it that could end before the pipe does. */
const firstProcess = `set -eu
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /etc/systemd
mkdir -p ${inside.folder} /run/systemd
echo "$1" > ${inside.folder}/machine
echo ready
exec cat`

const busConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>${busAddress}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
  </policy>
</busconfig>
`

export async function startLogindMachine(): Promise<LogindMachine> {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-logind-'))
  const flags = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--propagation', 'private']
  const outer = spawn('unshare', [...flags, 'sh', '-c', firstProcess, 'sh', folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: path },
  })
  outer.stdin.on('error', () => {})
  const machine = new LogindMachine(folder, outer)
  try {
    await Promise.race([once(outer.stdout, 'data'), failing(outer)])
    await machine.checkBus()
    await machine.startBus()
    await machine.startLogind()
    return machine
  } catch (error) {
    const logs = await machine.logs()
    await machine[Symbol.asyncDispose]()
    throw new Error(`the machine did not start: ${String(error)}\n${logs}`, { cause: error })
  }
}

export class LogindMachine implements AsyncDisposable {
  /** On the real machine too; nothing in it is a part of the played one's state. */
  readonly folder: string
  readonly #outer: ChildProcess
  readonly #processes: { readonly name: string; readonly process: MachineProcess }[] = []
  #first: number | undefined
  #bus: MachineProcess | undefined
  #systemd: MachineProcess | undefined
  #logind: MachineProcess | undefined

  constructor(folder: string, outer: ChildProcess) {
    this.folder = folder
    this.#outer = outer
  }

  /** Refuses if a program on the machine would find another bus: a reboot there would be a real one. */
  async checkBus(): Promise<void> {
    const found = await this.run('printenv', ['DBUS_SYSTEM_BUS_ADDRESS'])
    if (found.trim() !== busAddress) throw new Error(`programs on the machine would use the bus ${found}`)
    await this.run('test', ['!', '-e', '/run/dbus'])
  }

  async startBus(): Promise<void> {
    const config = join(this.folder, 'bus.conf')
    await writeFile(config, busConfig)
    await this.run('rm', ['-f', inside.bus])
    this.#bus = await this.start('dbus-daemon', ['--nofork', '--nopidfile', '--nosyslog', `--config-file=${config}`])
    await this.#until('the bus', () => this.call('org.freedesktop.DBus', '/', 'org.freedesktop.DBus', 'GetId'))
    const played = join(import.meta.dirname, 'played-systemd.py')
    this.#systemd = await this.start(pythonPath, [played, this.#unitsPath])
    const systemd = ['org.freedesktop.systemd1', '/org/freedesktop/systemd1', 'org.freedesktop.systemd1.Manager']
    await this.#until('systemd', () => this.call(...systemd, 'Subscribe'))
  }

  async startLogind(): Promise<void> {
    this.#logind = await this.start((await findLogind()) ?? 'systemd-logind', [])
    await this.#until('logind', () => this.call(...logindObject, 'ListInhibitors'))
  }

  async killLogind(): Promise<void> {
    await this.#logind?.kill()
  }

  /** With what lives on it, as systemd ends it: logind stops without its bus, and is started again with it. */
  async killBus(): Promise<void> {
    await this.#bus?.kill()
    await this.#logind?.kill()
    await this.#systemd?.kill()
  }

  /** Starts a program on the machine, with its bus as the only one that it could find. */
  async start(command: string, args: readonly string[]): Promise<MachineProcess> {
    const first = await this.#checkedFirst()
    const name = `${this.#processes.length}-${command.split('/').at(-1)}`
    const logPath = join(this.folder, `${name}.log`)
    const log = openSync(logPath, 'a')
    const child = spawn('nsenter', ['--target', `${first}`, '--mount', '--pid', '--', command, ...args], {
      stdio: ['ignore', log, log],
      env: { PATH: path, DBUS_SYSTEM_BUS_ADDRESS: busAddress, SYSTEMD_LOG_TARGET: 'console' },
    })
    closeSync(log)
    const exited = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null)
    const process: MachineProcess = {
      kill: async (signal = 'SIGKILL') => {
        // nsenter waits for the program, which is its only child; what ends it must not be taken for the program's end.
        while (child.exitCode === null && child.signalCode === null) {
          const [pid] = await childrenOf(child.pid)
          if (pid !== undefined) {
            kill(pid, signal)
            break
          }
          await pause(10)
        }
        await exited
      },
      output: () => readFile(logPath, 'utf8'),
      exited,
    }
    this.#processes.push({ name, process })
    return process
  }

  /** To its end. Rejects with what it wrote if it fails. */
  async run(command: string, args: readonly string[]): Promise<string> {
    const process = await this.start(command, args)
    const code = await process.exited
    const output = await process.output()
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${output}`)
    return output
  }

  call(...words: readonly string[]): Promise<string> {
    return this.run('busctl', ['--system', '--json=short', 'call', ...words])
  }

  /** As whoever types `reboot`. Resolves when logind has signalled it. */
  async reboot(): Promise<void> {
    await this.call(...logindObject, 'Reboot', 'b', 'false')
  }

  async schedule(action: string, atMs: number): Promise<void> {
    await this.call(...logindObject, 'ScheduleShutdown', 'st', action, `${atMs * 1_000}`)
  }

  async cancelScheduled(): Promise<void> {
    await this.call(...logindObject, 'CancelScheduledShutdown')
  }

  /** Resolves when it is held. */
  async lock(who: string): Promise<MachineProcess> {
    const words = ['--what=shutdown', '--mode=delay', `--who=${who}`, '--why=drain the node first', 'sleep', 'infinity']
    const process = await this.start('systemd-inhibit', words)
    await this.#until(`the lock of ${who}`, async () => {
      if (!(await this.call(...logindObject, 'ListInhibitors')).includes(`"${who}"`)) throw new Error('not yet')
    })
    return process
  }

  async budgetSeconds(): Promise<number> {
    const words = ['--system', '--json=short', 'get-property', ...logindObject, 'InhibitDelayMaxUSec']
    return (JSON.parse(await this.run('busctl', words)) as { data: number }).data / 1_000_000
  }

  /** What systemd was told to start: the machine has gone down by then. */
  async startedUnits(): Promise<StartedUnit[]> {
    const lines = (await readFile(this.#unitsPath, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
    return lines.map((line) => JSON.parse(line) as StartedUnit)
  }

  async logs(): Promise<string> {
    const parts = await Promise.all(
      this.#processes.map(async ({ name, process }) => `${name}:\n${await process.output()}`),
    )
    return parts.join('\n')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#outer.exitCode === null && this.#outer.signalCode === null) {
      const ended = once(this.#outer, 'exit')
      this.#outer.stdin?.end()
      // With --kill-child the namespace goes with it, should the first process not have ended by itself.
      const late = setTimeout(() => this.#outer.kill('SIGKILL'), 5_000)
      await ended
      clearTimeout(late)
    }
    await Promise.all(this.#processes.map(({ process }) => process.exited))
    await rm(this.folder, { recursive: true, force: true })
  }

  get #unitsPath(): string {
    return join(this.folder, 'started-units')
  }

  /** Refuses unless everything that is started stays within the machine: another bus could reboot the real one. */
  async #checkedFirst(): Promise<number> {
    const [first] = await childrenOf(this.#outer.pid)
    if (first === undefined) throw new Error('the machine is gone')
    if (first === this.#first) return first
    for (const kind of ['mnt', 'pid']) {
      const [theirs, ours] = await Promise.all([first, process.pid].map((pid) => readlink(`/proc/${pid}/ns/${kind}`)))
      if (theirs === ours) throw new Error(`the machine shares the namespace ${kind} with the real one`)
    }
    const owner = await readFile(`/proc/${first}/root${inside.folder}/machine`, 'utf8')
    if (owner.trim() !== this.folder) throw new Error('the machine has not got a /run of its own')
    this.#first = first
    return first
  }

  async #until(what: string, look: () => Promise<unknown>): Promise<void> {
    const giveUpAtMs = Date.now() + readyWithinMs
    for (;;) {
      try {
        await look()
        return
      } catch (error) {
        if (Date.now() > giveUpAtMs) throw new Error(`${what} did not come up: ${String(error)}`, { cause: error })
        await pause(50)
      }
    }
  }
}

async function childrenOf(pid: number | undefined): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text
    .split(' ')
    .filter((part) => part !== '')
    .map(Number)
}

async function failing(outer: ChildProcess): Promise<never> {
  const [code] = (await once(outer, 'exit')) as [number | null]
  throw new Error(`unshare ended with ${code}`)
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It ended by itself at this moment, as logind does without its bus.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
