import pc from 'picocolors'
import { systemClock, systemRandom } from '../../runtime/system.ts'
import { loadEmbedded } from '../connect/load-embedded.ts'
import { CommandError } from '../output/errors.ts'
import { signalOf } from '../commands/lifeboat-process.ts'
import type { World } from '../program.ts'
import { wrapLines } from '../why/wrap-lines.ts'
import {
  components,
  controlPlaneNodes,
  hashesOf,
  needed,
  startAgents,
  startControlPlane,
  untilStaticPodsRun,
} from './control-plane.ts'
import { newTally } from './eviction-tally.ts'
import { beginDrain, complete, whyNode, type DrainOptions } from './lifeboat-drain.ts'
import type { PlayedFolder } from './played-folder.ts'
import { quoted } from './script.ts'
import { openLifeboat, openStage, type Stage, type StageOptions } from './stage.ts'
import {
  acts,
  brokenPromises,
  introduction,
  parkedMeaning,
  renderControlPlane,
  renderFolder,
  renderGuard,
  renderReturn,
  renderStaticPodsFigures,
} from './static-pods-script.ts'
import { watchAvailability } from './watch-availability.ts'

/** `lifeboat demo --static-pods`, in real time. */
export async function runStaticPodsDemo(world: World): Promise<void> {
  await staticPodsDemo(world, { clock: systemClock, random: systemRandom, embedded: await loadEmbedded() })
}

export const stageNodes = 5
const [first = '', second = ''] = controlPlaneNodes

interface Show {
  readonly world: World
  readonly stage: Stage
  readonly folders: ReadonlyMap<string, PlayedFolder>
  readonly say: (...lines: readonly string[]) => void
  readonly title: (text: string) => void
}

export async function staticPodsDemo(world: World, props: Omit<StageOptions, 'signal' | 'nodes'>): Promise<void> {
  // Before the first word: a user who reads it may press Ctrl-C.
  const signal = signalOf(world)
  for (const line of wrapLines(introduction, world.terminal)) world.print(line)
  await using stage = await openStage({ ...props, signal, nodes: stageNodes })
  await performStaticPods(world, stage)
}

/** Fails if Lifeboat does not keep what it promises. */
export async function performStaticPods(world: World, stage: Stage): Promise<void> {
  const { clock } = stage
  await using watched = await watchAvailability(stage.transport, clock, needed)
  const folders = await startControlPlane(stage)
  await using _lifeboat = await openLifeboat(stage, newTally())
  await using _agents = await startAgents(stage, folders)
  const show = showOf(world, stage, folders)
  show.say('', renderControlPlane(controlPlaneNodes, components))
  const before = await hashesOf(stage)
  watched.meter.restart(clock.monotonicMs())
  const moved = await performActs(show)
  watched.check()
  const after = await hashesOf(stage)
  const figures = {
    belowMs: new Map([...needed.keys()].map((name) => [name, watched.meter.belowMs(name, clock.monotonicMs())])),
    moved,
    changed: [...before].flatMap(([name, hash]) => (after.get(name) === hash ? [] : [name])),
  }
  show.title(acts.figures)
  show.say(...renderStaticPodsFigures(needed, figures))
  const broken = brokenPromises(figures, 2 * components.length)
  if (broken.length > 0) {
    const advice = 'That should not happen. Please tell us, with what was printed above.'
    throw new CommandError(`Lifeboat did not keep its promises: ${broken.join('; ')}`, { advice })
  }
}

function showOf(world: World, stage: Stage, folders: Show['folders']): Show {
  const colors = pc.createColors(world.terminal.color)
  const say = (...lines: readonly string[]) => {
    for (const line of wrapLines(lines, world.terminal)) world.print(line)
  }
  return { world, stage, folders, say, title: (text) => say('', colors.bold(text), '') }
}

/** How many static pods left on the way. */
async function performActs(show: Show): Promise<number> {
  const { world, stage, say, title } = show
  title(acts.drain)
  const parkedFirst = await drainFirst(show)
  title(acts.guard)
  sayCommand(show, `drain ${second} --reason 'kernel update'`)
  await using drain = await beginDrain(stage, world.terminal, drainOf(second))
  const node = await drain.untilBlocked()
  say('', ...renderGuard(node, world.programName), '', ...quoted(await whyNode(stage, node)))
  title(acts.complete)
  await giveBack(show, first)
  sayFolder(show, first)
  say('', ...renderReturn(first, second))
  await drain.untilDrained()
  const parkedSecond = countParked(show, second)
  say('')
  await giveBack(show, second)
  return parkedFirst + parkedSecond
}

async function drainFirst(show: Show): Promise<number> {
  sayCommand(show, `drain ${first} --reason 'kernel update'`)
  await using drain = await beginDrain(show.stage, show.world.terminal, drainOf(first))
  await drain.untilDrained()
  show.say('')
  sayFolder(show, first)
  show.say(parkedMeaning)
  return countParked(show, first)
}

function drainOf(node: string): DrainOptions {
  return { maintenance: `drain-${node}`, nodes: [node], isTrouble: ({ kind }) => kind === 'lastControlPlane' }
}

async function giveBack(show: Show, node: string): Promise<void> {
  sayCommand(show, `complete drain-${node}`)
  await complete(show.stage, drainOf(node))
  await untilStaticPodsRun(show.stage, [node])
}

function sayCommand({ world, say }: Show, words: string): void {
  say(`$ ${world.programName} ${words}`)
}

function sayFolder({ folders, say }: Show, node: string): void {
  const folder = folders.get(node)
  if (folder !== undefined) say(...renderFolder(node, folder.path, Object.keys(folder.contents())))
}

function countParked({ folders }: Show, node: string): number {
  return Object.keys(folders.get(node)?.contents() ?? {}).filter((name) => name.startsWith('.')).length
}
