import { describe, expect, test } from 'vitest'
import type { BlockerKind } from '../src/api/blocker/blocker.ts'
import { pods } from '../src/api/kubernetes/resources.ts'
import { explain } from '../src/cli/why/explain.ts'
import { lookAtNode, lookAtPod } from '../src/cli/why/look.ts'
import { renderWhy } from '../src/cli/why/render-why.ts'
import type { WhyReport, WhyView } from '../src/cli/why/report.ts'
import { openLifeboatGround, type LifeboatGround } from './build/lifeboat.ts'
import { situations, stories, type Situation, type Story } from './scenarios/why-situations.ts'

// What `lifeboat why` says, as files to read, in clusters that really are in the state that they speak of. Lifeboat's own
// controllers brought it about, in virtual time.

const waitedDefaultMs = 12_000

async function ask(
  situation: Situation | Story,
  look: (ground: LifeboatGround, seen: unknown) => Promise<WhyView | undefined>,
): Promise<{ report: WhyReport; text: string }> {
  const { nodes = 1, controllers, choices = {}, waitedMs = waitedDefaultMs } = situation
  await using ground = await openLifeboatGround({ nodes, ...(controllers === false ? { controllers } : {}) })
  await using _lifeboat = await ground.open(choices)
  const seen = await situation.bringAbout(ground)
  await ground.pass(waitedMs)
  const view = await ground.until(look(ground, seen))
  if (view === undefined) throw new Error('what was asked about is not there')
  const nowMs = ground.clock.nowMs()
  const report = explain(view, nowMs)
  return { report, text: `${withoutNames(renderWhy(report, nowMs).join('\n'))}\n` }
}

/** What is drawn at random: the ends of names, UIDs; and the time at which the clock begins. */
function withoutNames(text: string): string {
  return text
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, 'UID')
    .replaceAll(/\b(web|logs)-([\da-z]{5,10}-)?[\da-z]{5}\b/g, (_, name, hash) => `${name}-${hash ? 'HASH-' : ''}xxxxx`)
    .replaceAll(/\bweb-[\da-z]{7,10}\b/g, 'web-HASH')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
}

describe('why a pod waits, for each typed reason', () => {
  test.each(Object.entries(situations) as [BlockerKind, Situation][])('%s', async (kind, situation) => {
    const { report, text } = await ask(situation, (ground, seen) =>
      lookAtPod(ground.admin, seen as Awaited<ReturnType<Situation['bringAbout']>>),
    )
    expect(report.pods.map((pod) => [pod.phase, pod.blockedBy?.kind])).toEqual([['Blocked', kind]])
    await expect(text).toMatchFileSnapshot(`snapshots/why/${kind}.txt`)
  })
})

describe('what else there is to say', () => {
  test.each(stories)('$name', async (story) => {
    const { text } = await ask(story, async (ground) => {
      if (story.pod === undefined) return lookAtNode(ground.admin, story.node ?? 'node-1')
      const { items } = await ground.admin.list(pods, { namespace: 'shop' })
      const name = items.map(({ metadata }) => metadata.name).find((each) => each.startsWith(story.pod ?? ''))
      return lookAtPod(ground.admin, { namespace: 'shop', name: name ?? '' })
    })
    await expect(text).toMatchFileSnapshot(`snapshots/why/${story.name.replaceAll(/[ ,]+/g, '-')}.txt`)
  })
})
