import { describe, expect, test } from 'vitest'
import { openLifeboatGround } from '../../../test/build/lifeboat.ts'
import { lifeboatUser } from '../../../test/scenarios/admission-story.ts'
import { rightsStory, type WebhookState } from '../../../test/scenarios/evacuation-rights.ts'
import { runStory, type StoryGround } from '../../../test/scenarios/run-story.ts'
import { featureGateNames } from '../../api/feature-gates.ts'
import { compileCel, toCelValue } from '../../embedded/server/schema/cel.ts'
import type { Transport } from '../../kube/client/transport.ts'
import { buildEvacuationRightsPolicy } from './evacuation-rights-policy.ts'

const [policy, binding] = buildEvacuationRightsPolicy(lifeboatUser)

test('it refuses, and what it cannot judge it refuses too', () => {
  expect(policy.spec.failurePolicy).toBe('Fail')
  expect(binding.spec).toEqual({ policyName: 'lifeboat-evacuation-rights', validationActions: ['Deny'] })
})

describe('match conditions', () => {
  const matches = (request: object) =>
    policy.spec.matchConditions.every(({ expression }) => {
      const outcome = compileCel(expression, ['request']).evaluate({ request: toCelValue(request) })
      return outcome.kind === 'value' && outcome.value === true
    })
  const [collector, cleaner] = ['generic-garbage-collector', 'namespace-controller'].map(
    (name) => `system:serviceaccount:kube-system:${name}`,
  )
  test.each([
    { name: 'anybody', username: 'joe', operation: 'DELETE', expected: true },
    { name: 'Lifeboat itself', username: lifeboatUser, operation: 'CREATE', expected: false },
    { name: 'a garbage collection', username: collector, operation: 'DELETE', expected: false },
    { name: 'an update of the garbage collector', username: collector, operation: 'UPDATE', expected: true },
    { name: 'the end of a namespace', username: cleaner, operation: 'DELETE', expected: false },
    {
      name: 'the controller manager',
      username: 'system:kube-controller-manager',
      operation: 'DELETE',
      expected: false,
    },
  ])('$name: $expected', ({ username, operation, expected }) => {
    expect(matches({ userInfo: { username }, operation })).toBe(expected)
  })
})

type Ground = Awaited<ReturnType<typeof openLifeboatGround>>

/** What Lifeboat did before; the last row of each is how it is left. */
const states: readonly { name: string; webhook: WebhookState; arrange: (ground: Ground) => Promise<void> }[] = [
  { name: 'installed, never started', webhook: 'isNotThere', arrange: async () => {} },
  {
    name: 'running',
    webhook: 'answers',
    arrange: async (ground) => ground.until((await ground.open()).manager.ready()),
  },
  {
    name: 'stopped',
    webhook: 'isNotThere',
    arrange: async (ground) => {
      const opened = await ground.open()
      await ground.until(opened.manager.ready())
      await ground.stop(opened)
    },
  },
  {
    name: 'killed',
    webhook: 'doesNotAnswer',
    arrange: async (ground) => {
      const opened = await ground.open()
      await ground.until(opened.manager.ready())
      opened.kill()
    },
  },
  ...(['createAndDelete', 'updateOnly'] as const).flatMap((rights) =>
    featureGateNames.map((gate) => ({
      name: `running with ${gate} off, ${rights}`,
      webhook: gate === 'EvacuationAPI' ? ('isNotThere' as const) : ('answers' as const),
      arrange: async (ground: Ground) => {
        const all = await ground.open()
        await ground.until(all.manager.ready())
        all.kill()
        await ground.pass(20_000)
        const opened = await ground.open({ gates: { [gate]: false }, identity: 'next', rights })
        await ground.until(opened.manager.ready())
        while (!opened.manager.isLeading()) await ground.pass(100)
        await ground.pass(1_000)
      },
    })),
  ),
]

describe('who may write an Evacuation is the same', () => {
  test.each(states)('with Lifeboat $name', async ({ webhook, arrange }) => {
    await using ground = await openLifeboatGround()
    await arrange(ground)
    const story = rightsStory(webhook)
    expect(await runStory(story, storyGround(ground), 'harbour')).toEqual(story.expected)
  })
})

function storyGround(ground: Ground): StoryGround {
  const as = (user: string | undefined): Transport => {
    const groups = ['system:authenticated']
    const transport = user === undefined ? ground.adminTransport : ground.cluster.transport({ name: user, groups })
    // A webhook may wait for something: time must pass while somebody waits for it.
    return {
      request: (request) => ground.until(transport.request(request)),
      watch: (request) => transport.watch(request),
      close: async () => {},
    }
  }
  return {
    name: 'the embedded cluster',
    nowMs: () => ground.clock.nowMs(),
    as,
    pass: (milliseconds) => ground.pass(milliseconds),
    [Symbol.asyncDispose]: async () => {},
  }
}
