import { expect, test } from 'vitest'
import { FitGround, podsOf } from '../../../test/build/fit-ground.ts'
import type { LabelSelector } from '../../api/kubernetes/meta.ts'
import type { PodAffinityTerm } from '../../api/kubernetes/scheduling.ts'
import { atOnce } from '../plugin.ts'
import { termOf } from './affinity-term.ts'
import { CarriedTerms } from './carried-terms.ts'

const namespaces = new Map([['bank', { team: 'y' }]])

interface Row {
  readonly name: string
  readonly selector: LabelSelector | undefined
  readonly term?: Partial<PodAffinityTerm>
  readonly namespace?: string
  readonly expected: boolean
}

const rows: readonly Row[] = [
  { name: 'a label', selector: { matchLabels: { app: 'db' } }, expected: true },
  {
    name: 'a label that all have, and one that it has',
    selector: { matchLabels: { team: 'x', app: 'db' } },
    expected: true,
  },
  {
    name: 'a label that all have, and one that it lacks',
    selector: { matchLabels: { team: 'x', app: 'web' } },
    expected: false,
  },
  { name: 'no selector', selector: undefined, expected: false },
  { name: 'an empty selector', selector: {}, expected: true },
  {
    name: 'one of several values',
    selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'db', 'db'] }] },
    expected: true,
  },
  {
    name: 'the lack of a label',
    selector: { matchExpressions: [{ key: 'gone', operator: 'DoesNotExist' }] },
    expected: true,
  },
  {
    name: 'a label in another namespace',
    selector: { matchLabels: { app: 'db' } },
    namespace: 'bank',
    expected: false,
  },
  {
    name: 'a label in a namespace that is selected',
    selector: { matchLabels: { app: 'db' } },
    term: { namespaceSelector: { matchLabels: { team: 'y' } } },
    namespace: 'bank',
    expected: true,
  },
  {
    name: 'a label in a namespace that is not selected',
    selector: { matchLabels: { app: 'db' } },
    term: { namespaceSelector: { matchLabels: { team: 'y' } } },
    expected: false,
  },
  {
    name: 'a label in namespaces that are named, one of them twice',
    selector: { matchLabels: { app: 'db' } },
    term: { namespaces: ['bank', 'shop', 'bank'] },
    namespace: 'bank',
    expected: true,
  },
]

test.each(rows)('finds a term by $name: $expected', ({ selector, term = {}, namespace = 'shop', expected }) => {
  const [carrier, pod] = podsOf([
    { namespace: 'shop', antiAffinity: [] },
    { namespace, labels: { app: 'db', team: 'x' } },
  ])
  if (carrier === undefined || pod === undefined) throw new Error('two pods')
  const cohort = new FitGround([{ name: 'n1' }], [carrier]).cohorts.listIn(undefined)[0]
  if (cohort === undefined) throw new Error('a cohort')
  const raw = { topologyKey: 'zone', ...(selector === undefined ? {} : { labelSelector: selector }), ...term }
  const carried = new CarriedTerms(namespaces)
  // Others that share a label come first.
  for (const app of ['mail', 'cache']) {
    const labelSelector = { matchLabels: { team: 'x', app } }
    carried.add(termOf({ topologyKey: 'zone', labelSelector }, cohort), cohort)
  }
  const added = termOf(raw, cohort)
  for (let times = 0; times < 2; times++) carried.add(added, cohort)
  expect(atOnce(carried.about(pod)).map(({ carriers }) => carriers.length)).toEqual(expected ? [1] : [])
})
