import { expect, test } from 'vitest'
import { blockedCondition, evacuationOf, podOf } from '../../../test/build/why-view.ts'
import { stored } from '../../../test/build/stored.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { explainDrain } from './explain-drain.ts'

test('each node of a drain is explained, and the pods of all of them are sorted together', () => {
  const blocked = evacuationOf({
    conditions: [blockedCondition('Throttled', '')],
    blockedBy: [{ kind: 'throttled' }],
  })
  const views = ['five', 'six'].map((name) => ({
    about: 'node' as const,
    node: stored<Node>({ metadata: { name } }),
    pods:
      name === 'six'
        ? [podOf()]
        : [
            podOf(
              {
                name: 'api-0',
                uid: 'uid-1',
                deletionTimestamp: '2026-08-01T12:00:30Z',
                deletionGracePeriodSeconds: 60,
              },
              { nodeName: 'five' },
            ),
          ],
    evacuations: [blocked],
    maintenances: [],
  }))
  const report = explainDrain({ name: 'rack', views }, Date.parse('2026-08-01T12:00:00Z'))
  expect(report).toMatchObject({ about: 'drain', name: 'rack', nodes: [{ name: 'five' }, { name: 'six' }] })
  expect(report.pods.map(({ name, nodeName, phase }) => [name, nodeName, phase])).toEqual([
    ['web-0', 'six', 'Blocked'],
    ['api-0', 'five', 'Terminating'],
  ])
})
