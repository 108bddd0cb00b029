import { expect, test, vi } from 'vitest'
import { agentGround } from '../../test/build/agent-ground.ts'
import { manifestOf, MemoryFolder } from '../../test/build/memory-folder.ts'
import { PlayedLogind } from '../../test/build/played-logind.ts'
import { reportOf } from '../api/maintenance/agent-mailbox.ts'
import { leases } from '../api/kubernetes/resources.ts'
import { annotations } from '../api/names.ts'
import { KubeError } from '../kube/client/errors.ts'
import { untilAborted } from '../runtime/until-aborted.ts'
import { Agent } from './agent.ts'
import { ShutdownKeeper } from './shutdown/shutdown-keeper.ts'

type Ground = ReturnType<typeof agentGround>

async function start(ground: Ground, manifests: MemoryFolder | undefined, played?: PlayedLogind, bootID = 'boot') {
  const stop = new AbortController()
  const pod = { name: 'agent-x', uid: 'u' }
  const settings = { leadTimeMs: 3_600_000, budgetWantedMs: 5_000 }
  const shutdown =
    played &&
    new ShutdownKeeper({ ...ground.parts, logind: played, lock: played.lock, file: played.file, bootID, settings })
  const agent = new Agent({ ...ground.parts, node: 'one', pod, bootID, manifests, shutdown })
  const running = agent.run(stop.signal)
  await ground.clock.advance(100)
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test is over'))
      await running
    },
  }
}

const openFolder = async () => {
  const manifests = new MemoryFolder('one')
  await manifests.write('a.yaml', manifestOf('a'))
  return manifests
}

test('says what it is when it comes to a node, and then nothing while nothing happens', async () => {
  const ground = agentGround()
  await using _agent = await start(ground, await openFolder())
  const mailbox = await ground.mailbox('one')
  expect(reportOf(mailbox)).toMatchObject({
    node: 'one',
    bootID: 'boot',
    pod: { name: 'agent-x' },
    staticPods: { parked: [] },
  })
  expect(mailbox.spec?.holderIdentity).toBe('agent-x')
  await ground.clock.advance(24 * 3_600_000)
  expect((await ground.mailbox('one')).metadata.resourceVersion).toBe(mailbox.metadata.resourceVersion)
})

test('does what is wanted, and says so', async () => {
  const ground = agentGround()
  const manifests = await openFolder()
  await using _agent = await start(ground, manifests)
  await ground.want('one', 'kube-system/a-one')
  await ground.clock.advance(100)
  expect([manifests.visible().length, await ground.parked('one')]).toEqual([0, ['kube-system/a-one']])
  await ground.want('one')
  await ground.clock.advance(100)
  expect([manifests.visible().length, await ground.parked('one')]).toEqual([1, []])
})

test('takes over the mailbox of the agent before it, and what that parked', async () => {
  const ground = agentGround()
  const manifests = await openFolder()
  const first = await start(ground, manifests)
  await ground.want('one', 'kube-system/a-one')
  await ground.clock.advance(100)
  await first[Symbol.asyncDispose]()
  await ground.want('one')
  await using _second = await start(ground, manifests)
  expect(manifests.visible()).toHaveLength(1)
})

test('parks within 20 seconds what somebody writes anew', async () => {
  const ground = agentGround()
  const manifests = await openFolder()
  await using _agent = await start(ground, manifests)
  await ground.want('one', 'kube-system/a-one')
  await ground.clock.advance(100)
  await manifests.write('a.yaml', manifestOf('a', { image: 'a:2' }))
  await ground.clock.advance(20_000)
  expect(manifests.visible()).toEqual([])
})

test('without a folder it leaves static pods alone, and says so', async () => {
  const ground = agentGround()
  await using _agent = await start(ground, undefined)
  expect(reportOf(await ground.mailbox('one'))?.staticPods).toBeUndefined()
})

test('a mailbox that somebody deletes is made anew, and nothing changes on the node', async () => {
  const ground = agentGround()
  const manifests = await openFolder()
  await using _agent = await start(ground, manifests)
  await ground.want('one', 'kube-system/a-one')
  await ground.clock.advance(100)
  await ground.admin.delete(leases, { namespace: ground.namespace, name: 'lifeboat-agent-one' })
  await ground.clock.advance(100)
  expect([manifests.visible().length, await ground.parked('one')]).toEqual([0, ['kube-system/a-one']])
})

const shutdownOf = async (ground: Ground) => reportOf(await ground.mailbox('one'))?.shutdown
const letGo = async (ground: Ground, id: string | undefined) => {
  const body = { metadata: { annotations: { [annotations.agentShutdown]: id } } }
  await ground.admin.patch(leases, { namespace: ground.namespace, name: 'lifeboat-agent-one' }, { type: 'merge', body })
  await ground.clock.advance(100)
}

test('says which shutdown is on its way, and lets it go on when nothing holds it any more', async () => {
  const [ground, played] = [agentGround(), new PlayedLogind()]
  await using _agent = await start(ground, undefined, played)
  expect(await shutdownOf(ground)).toEqual({ mode: 'Prefer', budgetSeconds: 5, problems: [] })
  played.say({ preparing: true })
  await ground.clock.advance(100)
  const going = (await shutdownOf(ground))?.going
  expect(going).toMatchObject({ phase: 'Signalled' })
  await letGo(ground, 'another')
  expect(played.released).toBe(0)
  await letGo(ground, going?.id)
  expect(played.released).toBe(1)
})

test('sees within 15 seconds what logind does not tell, and writes nothing while nothing happens', async () => {
  const [ground, played] = [agentGround(), new PlayedLogind()]
  await using _agent = await start(ground, await openFolder(), played)
  const { resourceVersion } = (await ground.mailbox('one')).metadata
  await ground.clock.advance(3_600_000)
  expect((await ground.mailbox('one')).metadata.resourceVersion).toBe(resourceVersion)
  expect(played.reads).toBeLessThan(250)
  played.state = { ...played.state, scheduled: { action: 'poweroff', atMs: ground.clock.nowMs() + 600_000 } }
  await ground.clock.advance(15_100)
  expect((await shutdownOf(ground))?.going).toMatchObject({ phase: 'Scheduled', action: 'poweroff' })
  played.state = { ...played.state, scheduled: undefined }
  await ground.clock.advance(15_100)
  expect((await shutdownOf(ground))?.going).toBeUndefined()
})

test.each(['before it is signalled', 'before it may go', 'after it may go'])(
  'killed %s: the next agent continues with the same shutdown',
  async (when) => {
    const [ground, played] = [agentGround(), new PlayedLogind()]
    let agent = await start(ground, undefined, played)
    const killAt = async (step: string) => {
      if (step !== when) return
      await agent[Symbol.asyncDispose]()
      if (step !== 'before it may go') return
      agent = await start(ground, undefined, played)
    }
    await killAt('before it is signalled')
    played.say({ preparing: true })
    if (when === 'before it is signalled') agent = await start(ground, undefined, played)
    await ground.clock.advance(100)
    const going = (await shutdownOf(ground))?.going
    expect(going?.phase).toBe('Signalled')
    await killAt('before it may go')
    expect((await shutdownOf(ground))?.going).toEqual(going)
    await killAt('after it may go')
    expect(played.released).toBe(0)
    await letGo(ground, going?.id)
    if (when === 'after it may go') agent = await start(ground, undefined, played)
    expect(played.released).toBe(1)
    await agent[Symbol.asyncDispose]()
  },
)

test('what was said before a reboot is over after it', async () => {
  const [ground, played] = [agentGround(), new PlayedLogind()]
  const before = await start(ground, undefined, played)
  played.say({ preparing: true })
  await ground.clock.advance(100)
  const id = (await shutdownOf(ground))?.going?.id
  await before[Symbol.asyncDispose]()
  await letGo(ground, id)
  played.isAway = true
  await using _after = await start(ground, undefined, played, 'another boot')
  expect((await shutdownOf(ground))?.going).toBeUndefined()
  expect(played.released).toBe(0)
})

test('an API server that does not answer keeps nobody from letting go of the lock', async () => {
  const [ground, played] = [agentGround(), new PlayedLogind()]
  played.state = { ...played.state, scheduled: { action: 'reboot', atMs: ground.clock.nowMs() + 600_000 } }
  await using _agent = await start(ground, undefined, played)
  const going = (await shutdownOf(ground))?.going
  await letGo(ground, going?.id)
  expect(played.released).toBe(0)
  // From now on writes hang, as in a network that drops everything.
  ground.parts.kube.patch = (_resource, _key, _patch, options) =>
    new Promise((_resolve, reject) => options?.signal?.addEventListener('abort', () => reject(new Error('aborted'))))
  played.say({ preparing: true })
  await ground.clock.advance(100)
  expect(played.released).toBe(1)
})

test('goes on telling what it could not tell', async () => {
  const [ground, played] = [agentGround(), new PlayedLogind()]
  await using _agent = await start(ground, undefined, played)
  const patching = vi.spyOn(ground.parts.kube, 'patch')
  patching.mockRejectedValue(new KubeError('away', { kind: 'unreachable' }))
  played.say({ preparing: true })
  await ground.clock.advance(60_000)
  expect((await shutdownOf(ground))?.going).toBeUndefined()
  patching.mockRestore()
  await ground.clock.advance(17_000)
  const going = (await shutdownOf(ground))?.going
  expect(going?.phase).toBe('Signalled')
})

test('a watch that died in silence does not hold a shutdown for long, and costs a request a minute until then', async () => {
  const [ground, played] = [agentGround(), new PlayedLogind()]
  const before = await start(ground, undefined, played)
  await before[Symbol.asyncDispose]()
  const { kube } = ground.parts
  const dead = ({ signal = new AbortController().signal }: { signal?: AbortSignal }) => ({
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        await untilAborted(signal)
        return { done: true, value: undefined }
      },
    }),
  })
  vi.spyOn(kube, 'watch').mockImplementation(((_resource: unknown, options: object) => dead(options)) as never)
  const reading = vi.spyOn(kube, 'get')
  await using _agent = await start(ground, undefined, played)
  await ground.clock.advance(120_000)
  expect(reading).not.toHaveBeenCalled()
  played.say({ preparing: true })
  await ground.clock.advance(120_000)
  expect(reading).toHaveBeenCalledTimes(2)
  await letGo(ground, (await shutdownOf(ground))?.going?.id)
  expect(played.released).toBe(0)
  await ground.clock.advance(80_000)
  expect(played.released).toBe(1)
})
