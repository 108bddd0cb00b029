import { expect } from 'vitest'
import type { Transport, TransportResponse } from '../../src/kube/client/transport.ts'
import type { Story, StoryWorld } from './admission-story.ts'
import { inNewestWordsThroughout } from '../cluster/older-words.ts'
import { normalize } from './normalize.ts'

/** A Kubernetes on which Lifeboat's admission is in effect. */
export interface StoryGround extends AsyncDisposable {
  readonly name: string
  nowMs(): number
  /** As an admin, or as somebody else. */
  as(user: string | undefined): Transport
  pass(milliseconds: number): Promise<void>
}

/** Tells one story to one ground and returns what it saw, made comparable. */
export async function runStory(story: Story, ground: StoryGround, namespace: string): Promise<unknown> {
  const body = { metadata: { name: namespace } }
  await ground.as(undefined).request({ method: 'POST', path: '/api/v1/namespaces', body })
  const world: StoryWorld = {
    namespace,
    normal: (value) => normalize(value, namespace),
    timeIn: (milliseconds) => new Date(ground.nowMs() + milliseconds).toISOString(),
    pass: (milliseconds) => ground.pass(milliseconds),
    send: async (method, path, sent, { as, query } = {}) => {
      const response = await ground.as(as).request({
        method,
        path,
        headers: method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {},
        ...(query === undefined ? {} : { query }),
        ...(sent === undefined ? {} : { body: JSON.parse(JSON.stringify(sent)) as unknown }),
      })
      return {
        status: response.status,
        body: response.body as Record<string, unknown>,
        warnings: warningsOf(response),
      }
    },
  }
  return normalize(await story.run(world), namespace)
}

function warningsOf({ headers: { warning = [] } }: TransportResponse): string[] {
  const values = [warning].flat().flatMap((value) => value.split(/, (?=299 - ")/))
  return values.map((value) => value.replace(/^299 - "(.*)"$/, '$1').replaceAll(/\\(.)/g, '$1'))
}

/** The stories under the names that they are shown by: one about a sentence of a specification begins with it. */
export function titled(stories: readonly Story[]): readonly Story[] {
  return stories.map((story) => ({
    ...story,
    name: story.sentence === undefined ? story.name : `${story.sentence} ${story.name}`,
  }))
}

/** Tells a story that says itself what it must see. */
export async function tellExpected(story: Story, ground: StoryGround, namespace: string): Promise<unknown> {
  const seen = inNewestWordsThroughout(await runStory(story, ground, namespace))
  expect(seen).toEqual(story.expected)
  return seen
}
