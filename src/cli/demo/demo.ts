import pc from 'picocolors'
import { pods } from '../../api/kubernetes/resources.ts'
import { sleep } from '../../runtime/clock.ts'
import { systemClock, systemRandom } from '../../runtime/system.ts'
import { loadEmbedded } from '../connect/load-embedded.ts'
import { CommandError } from '../output/errors.ts'
import { signalOf } from '../commands/lifeboat-process.ts'
import type { World } from '../program.ts'
import { wrapLines } from '../why/wrap-lines.ts'
import { applications, daemonSets, demoObjects, fragile, jobPods } from './applications.ts'
import { chooseNodes } from './choose-nodes.ts'
import { newTally } from './eviction-tally.ts'
import { beginDrain, complete, countGone, kernelUpdate, maintenanceName, whyNode } from './lifeboat-drain.ts'
import { evictFrom, force, giveBack } from './ordinary-drain.ts'
import { openRegistry, type ImageRegistry } from './registry.ts'
import {
  acts,
  brokenPromises,
  introduction,
  quoted,
  renderAttempt,
  renderCluster,
  renderDamage,
  renderFigures,
  renderMended,
  renderNext,
  renderReturn,
  renderTrouble,
  type Figures,
} from './script.ts'
import {
  countCluster,
  createAll,
  nodeCount,
  openLifeboat,
  openStage,
  podsOn,
  readyPodsOf,
  until,
  type Stage,
  type StageOptions,
} from './stage.ts'
import { watchAvailability, type WatchedAvailability } from './watch-availability.ts'

/** `lifeboat demo`, in real time. */
export async function runDemo(world: World): Promise<void> {
  await demo(world, { clock: systemClock, random: systemRandom, embedded: await loadEmbedded() })
}

const pauseMs = 1_000

interface Show {
  readonly world: World
  readonly stage: Stage
  readonly watched: WatchedAvailability
  readonly registry: ImageRegistry
  readonly say: (...lines: readonly string[]) => void
  readonly title: (text: string) => void
}

/** `lifeboat demo`: three acts on a cluster in this process. */
export async function demo(world: World, props: Omit<StageOptions, 'signal' | 'nodes'>): Promise<void> {
  // Before the first word: a user who reads it may press Ctrl-C.
  const signal = signalOf(world)
  for (const line of wrapLines(introduction, world.terminal)) world.print(line)
  await using stage = await openStage({ ...props, signal })
  await perform(world, stage)
}

/** Fails if Lifeboat does not keep what it promises. */
export async function perform(world: World, stage: Stage): Promise<void> {
  const { clock } = stage
  const beganMs = clock.monotonicMs()
  await using watched = await watchAvailability(stage.transport, clock)
  await using registry = await openRegistry(stage)
  const show = showOf(world, stage, watched, registry)
  await createAll(stage, demoObjects())
  await until(stage, 'all pods run', () => allRun(show))
  show.say(renderCluster(await countCluster(stage), clock.monotonicMs() - beganMs))
  await pause(show)
  const today = await actToday(show)
  await pause(show)
  const { lifeboat, back } = await actLifeboat(show)
  watched.check()
  const figures: Figures = { today, lifeboat, daemonSets: back }
  show.title(acts.figures)
  show.say(...renderFigures(applications, figures))
  const broken = brokenPromises(applications, figures)
  if (broken.length > 0) {
    const advice = 'That should not happen. Please tell us, with what was printed above.'
    throw new CommandError(`Lifeboat did not keep its promises: ${broken.join('; ')}`, { advice })
  }
  show.title(acts.next)
  show.say(...renderNext(world.programName))
}

function showOf(world: World, stage: Stage, watched: WatchedAvailability, registry: ImageRegistry): Show {
  const colors = pc.createColors(world.terminal.color)
  const say = (...lines: readonly string[]) => {
    for (const line of wrapLines(lines, world.terminal)) world.print(line)
  }
  return { world, stage, watched, registry, say, title: (text) => say('', colors.bold(text), '') }
}

/** For people to read; a pipe needs no time. */
async function pause({ stage, world }: Show): Promise<void> {
  if (world.terminal.isTerminal) await sleep(stage.clock, pauseMs, stage.signal)
}

async function allRun({ stage, watched }: Show): Promise<boolean> {
  if (watched.meter.short().length > 0) return false
  const wanted = [...daemonSets.map(({ name }) => ({ name, count: nodeCount })), { name: 'report', count: jobPods }]
  const ready = await Promise.all(wanted.map(async ({ name, count }) => (await readyPodsOf(stage, name)) === count))
  return ready.every(Boolean)
}

function below({ stage, watched }: Show): Map<string, number> {
  const nowMs = stage.clock.monotonicMs()
  return new Map(applications.map(({ name }) => [name, watched.meter.belowMs(name, nowMs)]))
}

/** Cordon, evict, force: what it costs is measured like everything else. */
async function actToday(show: Show): Promise<Figures['today']> {
  const { stage, watched, say, title } = show
  title(acts.today)
  const all = (await stage.kube.list(pods, { signal: stage.signal })).items
  const nodes = chooseNodes(all, ['checkout', 'cart'], 2)
  say(`$ kubectl drain ${nodes.join(' ')} --ignore-daemonsets`)
  const before = (await Promise.all(nodes.map((node) => podsOn(stage, node)))).flat()
  const evictions = newTally()
  const beganMs = stage.clock.monotonicMs()
  watched.meter.restart(beganMs)
  const { evicted, stuck, rounds } = await evictFrom(stage, nodes, evictions)
  say(...renderAttempt(nodes, { evicted: evicted.length, stuck, rounds }))
  await force(stage, stuck, evictions)
  await giveBack(stage, nodes, () => watched.meter.short().length === 0)
  const belowMs = below(show)
  say(...renderDamage(applications, belowMs))
  const moved = await countGone(stage, before)
  return { nodes, elapsedMs: stage.clock.monotonicMs() - beganMs, evictions, moved, belowMs }
}

async function actLifeboat(show: Show): Promise<{ lifeboat: Figures['lifeboat']; back: Figures['daemonSets'] }> {
  const { stage, watched, registry, say, title, world } = show
  title(acts.lifeboat)
  const evictions = newTally()
  await using _lifeboat = await openLifeboat(stage, evictions)
  const all = (await stage.kube.list(pods, { signal: stage.signal })).items
  const nodes = chooseNodes(all, [fragile, 'checkout', 'cart', 'orders', 'dns'], 3)
  const before = (await Promise.all(nodes.map((node) => podsOn(stage, node)))).flat()
  say(`$ ${world.programName} drain ${nodes.join(' ')} --reason 'kernel update' --name ${maintenanceName} --together`)
  registry.loseImage()
  const beganMs = stage.clock.monotonicMs()
  watched.meter.restart(beganMs)
  await using drain = await beginDrain(stage, world.terminal, kernelUpdate(nodes))
  const node = await drain.untilBlocked()
  say('', ...renderTrouble(fragile, node, world.programName), '', ...quoted(await whyNode(stage, node)), '')
  await pause(show)
  say(renderMended(fragile), '')
  registry.bringImageBack()
  const elapsedMs = (await drain.untilDrained()) - beganMs
  const moved = await countGone(stage, before)
  title(acts.complete)
  say(`$ ${world.programName} complete ${maintenanceName}`)
  await complete(stage, kernelUpdate(nodes))
  await until(stage, 'all pods are back', () => allRun(show))
  const back = await Promise.all(
    daemonSets.map(async ({ name }) => ({ name, ready: await readyPodsOf(stage, name), wanted: nodeCount })),
  )
  say(...renderReturn(nodes, { daemonSets: back }))
  return { lifeboat: { nodes, elapsedMs, evictions, moved, belowMs: below(show) }, back }
}
