import { expect, test } from 'vitest'
import { evacuationOf } from '../../../test/build/why-view.ts'
import { explainCancellation } from './explain-cancellation.ts'

const forbid = { evacuationCancellationPolicy: 'Forbid' } as const
const evacuators = [
  { evacuatorClass: 'deployment.apps.k8s.io', priority: 10_000 },
  { evacuatorClass: 'backup.example.com', priority: 20_000 },
]
const patch = `kubectl patch evacuation uid-0-web-0 -n shop --subresource=status --type=merge -p '{"status":{"evacuationCancellationPolicy":"Allow"}}'`

test.each([
  {
    name: 'the first evacuator must have set it',
    active: 'backup.example.com',
    setBy: ['backup.example.com'],
    says: 'its evacuation cannot be cancelled: evacuator backup.example.com set evacuationCancellationPolicy to Forbid, because it cannot go back',
  },
  {
    name: 'a later one may have found it',
    active: 'deployment.apps.k8s.io',
    setBy: ['deployment.apps.k8s.io', 'backup.example.com'],
    says: 'its evacuation cannot be cancelled: evacuator deployment.apps.k8s.io, or backup.example.com before it, set evacuationCancellationPolicy to Forbid, because it cannot go back',
  },
  {
    name: 'before the first turn it was another client',
    active: undefined,
    setBy: [],
    says: 'its evacuation cannot be cancelled: a client set evacuationCancellationPolicy to Forbid, because it cannot go back',
  },
])('$name', ({ active, setBy, says }) => {
  const status = { ...forbid, ...(active === undefined ? {} : { activeEvacuatorClass: active }) }
  const report = explainCancellation(evacuationOf(status, { evacuators }))
  expect(report).toEqual({
    policy: 'Forbid',
    setBy,
    message: says,
    next: 'see what the evacuator has done so far; this allows the cancellation:',
    commands: [patch],
  })
})

test('an evacuation that no instigator wants says so', () => {
  const { metadata, ...rest } = evacuationOf(forbid)
  expect(explainCancellation({ ...rest, metadata: { ...metadata, finalizers: [] } })).toMatchObject({
    message: expect.stringMatching(
      /^no instigator wants the pod gone any more, but its evacuation cannot be cancelled/,
    ),
    next: expect.stringContaining('the pod then stays'),
  })
})

test('under Allow there is nothing to say', () => {
  expect(explainCancellation(evacuationOf({ evacuationCancellationPolicy: 'Allow' }))).toBeUndefined()
})
