import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { CycleReport } from '../../descheduler/cycle/cycle.ts'
import { runLoop } from '../../descheduler/descheduling-loop.ts'
import type { Mode } from '../../descheduler/mode.ts'
import { parsePolicy } from '../../descheduler/policy/parse-policy.ts'
import type { Policy } from '../../descheduler/policy/policy.ts'
import { renderPolicyProblem, UnfollowablePolicyError } from '../../descheduler/policy/problem.ts'
import { isWithin, nextBeginMs } from '../../descheduler/policy/window.ts'
import { renderReport, reportData } from '../../descheduler/report/render-report.ts'
import { LeaderElection } from '../../kube/lease/leader-election.ts'
import { systemFiles } from '../../kube/auth/system-files.ts'
import { openHealthListener } from '../../manager/run/health-listener.ts'
import { installation } from '../../manager/install/installation-names.ts'
import type { Log } from '../../runtime/log.ts'
import type { Address } from '../../runtime/listen.ts'
import { systemClock, systemRandom } from '../../runtime/system.ts'
import { openConnectionOfPod, type Connection, type ConnectionOptions } from '../connect/connection.ts'
import { listening } from '../connect/listening.ts'
import { DeschedulerProcess } from './descheduler-process.ts'
import { reportingAtInterval } from './descheduler-reports.ts'
import { CommandError, exitCodes } from '../output/errors.ts'
import { openLog, signalOf } from './lifeboat-process.ts'
import type { World } from '../program.ts'
import { adminClient } from './run.ts'
import type { LogLevel } from '../connect/settings.ts'

export interface DeschedulerOptions extends ConnectionOptions {
  readonly policyConfigFile: string
  /** 0: one cycle, and then the end. */
  readonly deschedulingInterval: number
  readonly mode: Mode
  readonly dryRun?: boolean
  readonly output?: 'json'
  /** 0: requests are never taken back. */
  readonly maxEvacuationRequestTtl: number
  readonly leaderElect?: boolean
  readonly namespace: string
  readonly listen: Address | undefined
  readonly logLevel: LogLevel
  readonly verbose?: boolean
}

/** `lifeboat descheduler`: KEP-1397, with upstream's policies. */
export async function descheduler(world: World, options: DeschedulerOptions): Promise<void> {
  const readPolicy = () => readPolicyFile(options.policyConfigFile)
  const policy = parseOrExplain(world, await readPolicy(), options.policyConfigFile)
  const signal = signalOf(world)
  await using connection = await openConnectionOfPod(options, signal)
  const log = openLog(options)
  const identity = `${hostname()}_${randomUUID()}`
  const election = electionFor(connection, options, { log, identity })
  const registry = new Registry()
  await using running = new DeschedulerProcess({ connection, options, log, election, registry, identity })
  if (options.deschedulingInterval === 0) {
    return await runOnce(world, options, { running, policy, signal })
  }
  collectDefaultMetrics({ register: registry })
  const { listen } = options
  await using _health =
    listen === undefined
      ? undefined
      : await listening('--listen', listen, openHealthListener({ ...listen, registry, missing: () => [] }))
  const ready = `ready on Kubernetes ${connection.serverVersion} at ${connection.access.server}`
  // A program reads what is printed.
  if (options.output === 'json') log.info({}, ready)
  else world.print(ready)
  const loop = {
    clock: systemClock,
    log,
    intervalMs: options.deschedulingInterval,
    readPolicy,
    open: (followed: Policy, stop: AbortSignal) => running.open(followed, stop),
    onPolicy: (problems: readonly string[]) => running.notePolicy(problems),
    onReport: reportingAtInterval(options, { log, print: (line) => world.print(line) }),
  }
  await (election === undefined ? runLoop(loop, signal) : election.run(signal, (leading) => runLoop(loop, leading)))
}

interface SingleCycle {
  readonly running: DeschedulerProcess
  readonly policy: Policy
  readonly signal: AbortSignal
}

async function runOnce(
  world: World,
  { dryRun = false, output }: DeschedulerOptions,
  { running, policy, signal }: SingleCycle,
): Promise<void> {
  const report = closedWindow(policy) ?? (await cycleOf({ running, policy, signal }))
  if (output === 'json') world.print(JSON.stringify(reportData(report), null, 2))
  else for (const line of renderReport(report, { isDryRun: dryRun })) world.print(line)
}

async function cycleOf({ running, policy, signal }: SingleCycle): Promise<CycleReport> {
  const opened = await running.open(policy, signal).catch(explainUnfollowable)
  try {
    return await opened.cycle(signal)
  } finally {
    await opened.close()
  }
}

/** The report of a cycle that is not to run now. */
function closedWindow({ lifeboat: { window } }: Policy): CycleReport | undefined {
  const nowMs = systemClock.nowMs()
  if (window === undefined || isWithin(window, nowMs)) return undefined
  const opens = new Date(nextBeginMs(window, nowMs)).toISOString()
  return { skipped: `it is outside of the window of the policy, which opens at ${opens}`, strategies: [] }
}

function electionFor(
  { transport }: Connection,
  { leaderElect = false, dryRun = false, deschedulingInterval, namespace }: DeschedulerOptions,
  { log, identity }: { readonly log: Log; readonly identity: string },
): LeaderElection | undefined {
  if (!leaderElect || dryRun || deschedulingInterval === 0) return undefined
  const kube = adminClient(transport)
  return new LeaderElection({
    kube,
    clock: systemClock,
    random: systemRandom,
    log,
    namespace,
    name: installation.descheduler,
    identity,
  })
}

async function readPolicyFile(path: string): Promise<string> {
  try {
    return await systemFiles.readText(path)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new CommandError(`cannot read the policy: ${message}`, {
      advice: 'Name a file that is there with --policy-config-file.',
      exitCode: exitCodes.usage,
    })
  }
}

function parseOrExplain(world: World, text: string, path: string): Policy {
  const read = parsePolicy(text)
  for (const warning of read.warnings) world.printError(`warning: ${path}: ${warning}`)
  if ('policy' in read) return read.policy
  throw wrongPolicy(path, read.problems.map(renderPolicyProblem))
}

function explainUnfollowable(error: unknown): never {
  if (error instanceof UnfollowablePolicyError) throw wrongPolicy('on this cluster', error.problems)
  throw error
}

function wrongPolicy(where: string, problems: readonly string[]): CommandError {
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`
  return new CommandError(`${where}: the policy has ${count}\n${problems.map((line) => `  ${line}`).join('\n')}`, {
    advice: 'Nothing was changed. docs/descheduler.md tells what a policy may have.',
    exitCode: exitCodes.usage,
  })
}
