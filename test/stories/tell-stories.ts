import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test, type TestContext } from 'vitest'
import { hasPart } from '../cluster/newer-parts.ts'
import { inNewestWords } from '../cluster/older-words.ts'
import { ownCluster } from '../real/own-cluster.ts'
import type { LifeboatSwitch } from '../scenarios/daemon-set-evacuation.ts'
import type { StoryNeeds } from '../scenarios/scenario.ts'
import { openEmbedded, openReal, type EquippedGround } from './lifeboat-grounds.ts'

// A file of stories is run twice: `make test` tells them to the embedded cluster, each to one of its own, in virtual
// time; `make test-real` tells them to a real one, many at a time. What a story observes is written down beside it, and
// must be the same in both. The real one is always right: a difference is a bug of the embedded one.

declare module 'vitest' {
  export interface ProvidedContext {
    /** Which Kubernetes this run tells its stories to. */
    ground: 'embedded' | 'real'
  }
}

export interface Story extends StoryNeeds {
  readonly name: string
}

export interface Grounds<Ground extends AsyncDisposable> {
  /** A new one for each story. */
  embedded(): Promise<Ground>
  /** One for all of a file. */
  real(): Promise<Ground>
}

export interface Telling<Told extends Story, Ground extends AsyncDisposable> {
  /** By their topics, which are unique: namespaces are named after them. */
  readonly stories: Readonly<Record<string, readonly Told[]>>
  readonly grounds: Grounds<Ground>
  /** Returns what it observed, in a form that is the same on every ground. */
  readonly tell: (story: Told, ground: Ground, namespace: string) => Promise<unknown>
}

export const isReal = inject('ground') === 'real'
/** A new object each time: vitest writes into it. */
const options = () => ({ timeout: 300_000 })

export function tellStories<Told extends Story, Ground extends AsyncDisposable>(telling: Telling<Told, Ground>): void {
  const { stories, grounds, tell } = telling
  let shared: Ground | undefined
  if (isReal) {
    beforeAll(async () => {
      shared = await grounds.real()
    })
    afterAll(() => shared?.[Symbol.asyncDispose]())
  }
  for (const [topic, all] of Object.entries(stories)) {
    const tellOne = async ([, story]: Row<Told>, context: TestContext) => {
      const namespace = `${topic}-${all.indexOf(story) + 1}`
      await using own = isReal ? undefined : await grounds.embedded()
      const ground = shared ?? own
      if (ground === undefined) throw new Error('the ground was not opened')
      // Stories that run at the same time each need an `expect` of their own for what is written down.
      context.expect(new Observed(await tell(story, ground, namespace))).toMatchSnapshot()
    }
    const rows = all.map((story): Row<Told> => [story.name, story])
    const skipped = rows.filter(([, story]) => isReal && isLeftOut(story))
    // Each has a namespace and nodes of its own, and most of it is waiting.
    const told = rows.filter((row) => !skipped.includes(row))
    const together = told.filter(([, story]) => isReal && story.ownCluster !== true)
    const alone = told.filter((row) => !together.includes(row))
    // oxlint-disable-next-line vitest/valid-title -- it is a string
    describe(topic, () => {
      test.concurrent.for(together)('%s', options(), tellOne)
      test.for(alone)('%s', options(), tellOne)
      // oxlint-disable-next-line vitest/no-disabled-tests -- not left out here, what is written down of it would count as left over
      test.skip.for(skipped)('%s', options(), tellOne)
    })
  }
}

function isLeftOut({ virtualTimeOnly, needs }: Story): boolean {
  return virtualTimeOnly !== undefined || (needs !== undefined && !hasPart(needs))
}

/** With its name first, which is shown in full. */
type Row<Told> = readonly [name: string, story: Told]

/** Stories for clusters on which Lifeboat runs. */
export function tellWithLifeboat<Told extends Story>(
  topic: string,
  stories: readonly Told[],
  tell: (story: Told, ground: EquippedGround, namespace: string) => Promise<readonly unknown[]>,
): void {
  tellStories({
    stories: { [topic]: stories },
    grounds: { embedded: () => openEmbedded(), real: () => openReal(ownCluster()) },
    tell: (story, ground, namespace) =>
      tell(story, story.ownCluster === true ? ground : { ...ground, lifeboat: sharedLifeboat }, namespace),
  })
}

const refuse = async () => {
  throw new Error('others are told their stories at the same time: this one needs `ownCluster: true`')
}
/** One that is not to be switched. */
export const sharedLifeboat: LifeboatSwitch = { kill: refuse, start: refuse, uninstall: refuse }

/** Written down with one line for each thing that was observed. */
class Observed {
  readonly lines: readonly string[]

  constructor(seen: unknown) {
    const all = [seen].flat()
    if (all.length === 0) throw new Error('a story that observes nothing shows nothing')
    this.lines = all.map((each) => lineOf(each ?? null))
  }
}

function lineOf(seen: unknown): string {
  const { what, value } = (seen ?? {}) as { what?: unknown; value?: unknown }
  const said = typeof what === 'string' ? `${what}: ${JSON.stringify(value, inOrder)}` : JSON.stringify(seen, inOrder)
  const line = inNewestWords(said)
  if (line.length <= lineLengthMax) return line
  const digest = createHash('sha256').update(line).digest('hex')
  return `${line.slice(0, 200)}... (${line.length} characters with the digest ${digest})`
}

/** Longer than anything that a person reads. */
const lineLengthMax = 4_000

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

expect.addSnapshotSerializer({
  test: (value) => value instanceof Observed,
  serialize: (value: Observed) => value.lines.join('\n'),
})
