import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { letStay, moveAway } from '../examples/instigator.ts'
import { startVmEvacuator, type Hypervisor, type Migration } from '../examples/vm-evacuator.ts'
import { evacuatorClasses } from '../src/api/names.ts'
import { podRefOf, type PodRef } from '../src/api/evacuation/pod-reference.ts'
import { EvacuatorGround } from './build/evacuator-ground.ts'

// The example of docs/evacuators.md, run as it stands there.

const vm = 'vm.example.com'
const hold = `evacuation.coordination.k8s.io/instigator_${vm}`
const second = 1_000
const minute = 60_000
const root = join(import.meta.dirname, '..')
const execute = promisify(execFile)

const stops: AbortController[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort(new Error('the test is over'))
})

/** Copies 10 % a minute, and switches over in five seconds. */
class FakeHypervisor implements Hypervisor {
  readonly calls: string[] = []
  readonly #ground: EvacuatorGround
  #startedAtMs: number | undefined
  #switchedAtMs: number | undefined
  isBroken = false
  noHost: string | undefined
  /** What the Evacuation said about cancellation when the machine switched over. */
  policyAtSwitchOver: string | undefined

  constructor(ground: EvacuatorGround) {
    this.#ground = ground
  }

  async migrationOf(): Promise<Migration | undefined> {
    if (this.isBroken) throw new Error('the hypervisor does not answer')
    const nowMs = this.#ground.clock.monotonicMs()
    if (this.#switchedAtMs !== undefined) {
      return { phase: nowMs - this.#switchedAtMs < 5 * second ? 'switchingOver' : 'moved' }
    }
    if (this.#startedAtMs === undefined) return undefined
    if (this.noHost !== undefined) return { phase: 'noHost', message: this.noHost }
    const percent = Math.min(100, Math.floor((nowMs - this.#startedAtMs) / (6 * second)))
    if (percent === 100) return { phase: 'copied' }
    return { phase: 'copying', percent, secondsLeft: (100 - percent) * 6 }
  }

  async startMigration(machine: string): Promise<void> {
    this.calls.push(`start ${machine}`)
    this.#startedAtMs ??= this.#ground.clock.monotonicMs()
  }

  async switchOver(machine: string): Promise<void> {
    this.calls.push(`switch ${machine}`)
    this.#switchedAtMs ??= this.#ground.clock.monotonicMs()
  }

  async stopMigration(machine: string): Promise<void> {
    this.calls.push(`stop ${machine}`)
    this.#startedAtMs = undefined
  }
}

/** A machine on a cluster where the example runs; the controller is played by hand. */
async function setUp() {
  const ground = new EvacuatorGround()
  const hypervisor = new FakeHypervisor(ground)
  const run = () => {
    const stop = new AbortController()
    stops.push(stop)
    const running = startVmEvacuator({ ...ground.parts, hypervisor, signal: stop.signal })
    return async () => {
      stop.abort(new Error('restart'))
      await ground.clock.advance(0)
      await running
    }
  }
  const end = run()
  await ground.clock.advance(0)
  const labels = { 'vm.example.com/machine': 'db' }
  const pod = podRefOf(await ground.createPod('vm-db', { labels }))
  await ground.clock.advance(0)
  const begin = async () => {
    await ground.evacuateExisting(pod, {
      registrations: [
        { evacuatorClass: vm, priority: 20_000, role: 'live-migration' },
        { evacuatorClass: evacuatorClasses.statefulSet, priority: 10_000, role: 'controller' },
      ],
    })
    await ground.select(pod, vm)
    await ground.clock.advance(2 * second)
  }
  return { ground, clock: ground.clock, hypervisor, pod, begin, run, end }
}

const blockedOf = async (ground: EvacuatorGround, pod: PodRef) =>
  (await ground.status(pod)).conditions?.find(({ type }) => type === 'Blocked')

describe('the example', () => {
  test('claims the pods of its machines, and no others', async () => {
    const { ground, clock, pod } = await setUp()
    const other = podRefOf(await ground.createPod('web'))
    await clock.advance(second)
    expect((await ground.pod(pod))?.metadata.annotations).toEqual({
      'evacuation.coordination.k8s.io/priority_vm.example.com': '20000/live-migration',
    })
    expect((await ground.pod(other))?.metadata.annotations ?? {}).toEqual({})
  })

  test('migrates the machine, tells how far it is, and evicts the pod when it is empty', async () => {
    const { ground, clock, hypervisor, pod, begin } = await setUp()
    await begin()
    expect((await ground.evacuation(pod))?.metadata.finalizers).toContain(hold)
    await clock.advance(5 * minute)
    expect(await ground.status(pod)).toMatchObject({
      message: expect.stringMatching(/^Copying memory: (49|50) %$/),
      evacuationCancellationPolicy: 'Allow',
      activeEvacuatorCompleted: false,
    })
    const { expectedEvacuationFinishTime = '' } = await ground.status(pod)
    expect(Math.abs(Date.parse(expectedEvacuationFinishTime) - clock.nowMs() - 5 * minute)).toBeLessThan(30 * second)
    expect(await ground.silentMs(pod)).toBeLessThan(minute)
    await clock.advance(6 * minute)
    expect(hypervisor.calls).toEqual(['start db', 'switch db'])
    expect(await ground.pod(pod)).toBeUndefined()
    expect(ground.requests.filter((request) => request.endsWith('/eviction'))).toHaveLength(1)
  })

  test('forbids the cancellation before it switches over', async () => {
    const { ground, clock, hypervisor, pod, begin } = await setUp()
    await begin()
    hypervisor.switchOver = async () => {
      hypervisor.policyAtSwitchOver = (await ground.status(pod)).evacuationCancellationPolicy
    }
    await clock.advance(11 * minute)
    expect(hypervisor.policyAtSwitchOver).toBe('Forbid')
  })

  test('stops the migration when it is cancelled half-way, and the machine stays', async () => {
    const { ground, clock, hypervisor, pod, begin } = await setUp()
    await begin()
    await clock.advance(5 * minute)
    await ground.cancel(pod, [vm])
    expect(await ground.evacuation(pod)).toBeDefined()
    await clock.advance(minute)
    expect(hypervisor.calls).toEqual(['start db', 'stop db'])
    expect(await ground.evacuation(pod)).toBeUndefined()
    expect((await ground.pod(pod))?.metadata.uid).toBe(pod.uid)
  })

  test('stops the migration also when it was cancelled while the evacuator was down', async () => {
    const { ground, clock, hypervisor, pod, begin, run, end } = await setUp()
    await begin()
    await clock.advance(5 * minute)
    await end()
    await ground.cancel(pod, [vm])
    await clock.advance(minute)
    expect(hypervisor.calls).toEqual(['start db'])
    run()
    await clock.advance(minute)
    expect(hypervisor.calls).toEqual(['start db', 'stop db'])
    expect(await ground.evacuation(pod)).toBeUndefined()
  })

  test('goes on after a restart where it was', async () => {
    const { ground, clock, hypervisor, pod, begin, run, end } = await setUp()
    await begin()
    await clock.advance(5 * minute)
    await end()
    run()
    await clock.advance(6 * minute)
    expect(hypervisor.calls).toEqual(['start db', 'switch db'])
    expect(await ground.pod(pod)).toBeUndefined()
  })

  test('falls silent when the hypervisor does, and says why', async () => {
    const { ground, clock, hypervisor, pod, begin } = await setUp()
    await begin()
    hypervisor.isBroken = true
    await clock.advance(31 * minute)
    expect(await ground.silentMs(pod)).toBeGreaterThan(30 * minute)
    expect(await blockedOf(ground, pod)).toMatchObject({
      status: 'True',
      reason: 'StepFailed',
      message: expect.stringMatching(/the hypervisor does not answer/),
    })
    hypervisor.isBroken = false
    await clock.advance(2 * minute)
    expect(await blockedOf(ground, pod)).toMatchObject({ status: 'False' })
    expect(await ground.silentMs(pod)).toBeLessThan(5 * minute)
  })

  test('falls silent when no host has room, and says why', async () => {
    const { ground, clock, hypervisor, pod, begin } = await setUp()
    await begin()
    hypervisor.noHost = 'no host has 64 GiB'
    await clock.advance(31 * minute)
    expect(await ground.silentMs(pod)).toBeGreaterThan(30 * minute)
    expect(await blockedOf(ground, pod)).toMatchObject({ reason: 'NoHostForMachine', message: 'no host has 64 GiB' })
  })

  test('does nothing more when it has lost its turn', async () => {
    const { ground, clock, hypervisor, pod, begin } = await setUp()
    await begin()
    await clock.advance(5 * minute)
    await ground.select(pod, evacuatorClasses.statefulSet)
    const writes = ground.statusWrites()
    await clock.advance(20 * minute)
    expect(hypervisor.calls).toEqual(['start db'])
    expect(ground.statusWrites()).toBe(writes)
    expect((await ground.pod(pod))?.metadata.uid).toBe(pod.uid)
  })

  test('an instigator asks, changes its mind, and asks again', async () => {
    const { ground, pod } = await setUp()
    expect(await moveAway(ground.kube, pod)).toBe(`see kubectl get evacuation ${pod.uid}-vm-db`)
    await letStay(ground.kube, pod)
    expect((await ground.evacuation(pod))?.metadata.finalizers ?? []).toEqual([])
    await moveAway(ground.kube, pod)
    await ground.removePod(pod)
    expect(await ground.evacuation(pod)).toBeDefined()
  })
})

test(
  'a package that was built type-checks and loads where there is nothing else of Lifeboat',
  { timeout: 120_000 },
  async () => {
    await using consumer = await temporaryFolder()
    const lifeboat = join(consumer.path, 'node_modules/lifeboat')
    await execute(process.execPath, ['scripts/bundle.ts', join(lifeboat, 'dist')], { cwd: root })
    await copyFile(join(root, 'package.json'), join(lifeboat, 'package.json'))
    await mkdir(join(consumer.path, 'node_modules/@marcbachmann'))
    for (const dependency of [...Object.keys(packageJson.dependencies), '@types']) {
      await symlink(join(root, 'node_modules', dependency), join(consumer.path, 'node_modules', dependency))
    }
    for (const example of globSync('*.ts', { cwd: join(root, 'examples') })) {
      await copyFile(join(root, 'examples', example), join(consumer.path, example))
    }
    await writeFile(join(consumer.path, 'package.json'), JSON.stringify({ type: 'module' }))
    const options = [
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--lib',
      'es2024,esnext.disposable',
    ]
    const files = ['--allowImportingTsExtensions', '--types', 'node', 'run-vm-evacuator.ts', 'instigator.ts']
    await execute(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...options, ...files], {
      cwd: consumer.path,
    })
    const load = `const { connect, runEvacuator } = await import('lifeboat/sdk'); process.stdout.write(typeof connect + typeof runEvacuator)`
    const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', load], { cwd: consumer.path })
    expect(stdout).toBe('functionfunction')
  },
)

describe('docs/evacuators.md', () => {
  const text = readFileSync(join(root, 'docs/evacuators.md'), 'utf8')
  const blocks = Array.from(text.matchAll(/^```ts\n(.*?)^```$/gms), ([, block = '']) => block)
  const examples = globSync('examples/*.ts', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'))

  test('shows every example as it is, and no other code', () => {
    expect(new Set(blocks)).toEqual(new Set(examples))
  })

  test('shows JSON that is JSON', () => {
    const objects = Array.from(text.matchAll(/^```json\n(.*?)^```$/gms), ([, block = '']) => block)
    expect(objects.length).toBeGreaterThan(0)
    for (const object of objects) expect(() => JSON.parse(object) as unknown).not.toThrow()
  })
})

async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'lifeboat-sdk-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
