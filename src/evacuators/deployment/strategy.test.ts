import { expect, test } from 'vitest'
import { buildAppDeployment } from '../../../test/build/deployment-view.ts'
import type { NumberOrPercent } from '../../api/kubernetes/apps.ts'
import { annotations } from '../../api/names.ts'
import { strategyOf, wantedOf } from './strategy.ts'

const rolling = (maxSurge: NumberOrPercent, maxUnavailable: NumberOrPercent = 0) =>
  ({ type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } }) as const
const optIn = { annotations: { [annotations.evacuationStrategy]: 'MaxUnavailable' } }

test.each([
  { name: 'a number', deployment: buildAppDeployment({ strategy: rolling(2) }), expected: 'surge 2' },
  {
    name: 'a share, rounded up',
    deployment: buildAppDeployment({ replicas: 5, strategy: rolling('25%') }),
    expected: 'surge 2',
  },
  {
    name: 'a share of no pods',
    deployment: buildAppDeployment({ replicas: 0, strategy: rolling('25%') }),
    expected: 'surge 1',
  },
  {
    name: 'nothing said',
    deployment: { metadata: buildAppDeployment().metadata, spec: { replicas: 4 } },
    expected: 'surge 1',
  },
  { name: 'no surge', deployment: buildAppDeployment({ strategy: rolling(0, 1) }), expected: 'none' },
  { name: 'a share that is nothing', deployment: buildAppDeployment({ strategy: rolling('0%', 1) }), expected: 'none' },
  {
    name: 'the opt-in',
    deployment: buildAppDeployment({ replicas: 8, strategy: rolling(0, '25%') }, optIn),
    expected: 'unavailable 2',
  },
  {
    name: 'the opt-in, rounded down to none',
    deployment: buildAppDeployment({ replicas: 2, strategy: rolling(0, '25%') }, optIn),
    expected: 'unavailable 1',
  },
  {
    name: 'the opt-in beside a surge',
    deployment: buildAppDeployment({ strategy: rolling(1, 1) }, optIn),
    expected: 'surge 1',
  },
  { name: 'Recreate', deployment: buildAppDeployment({ strategy: { type: 'Recreate' } }, optIn), expected: 'none' },
])('$name means $expected', ({ deployment, expected }) => {
  const strategy = strategyOf(deployment)
  expect(strategy.kind === 'none' ? 'none' : `${strategy.kind} ${strategy.max}`).toBe(expected)
})

test('a Deployment that does not say wants one pod', () => {
  expect(wantedOf({ metadata: buildAppDeployment().metadata })).toBe(1)
  expect(wantedOf(buildAppDeployment({ replicas: 0 }))).toBe(0)
})
