import { describe, expect, test } from 'vitest'
import { nodeView, podView } from '../../../test/build/descheduler-view.ts'
import { CycleState } from '../cycle/cycle-state.ts'
import { atOnce, breath } from '../plugin.ts'
import { SchedulerRules } from './scheduler-rules.ts'

const nodes = ['n1', 'n2'].map((name) => nodeView({ name }))
const port = { protocol: 'TCP', port: 80, ip: '0.0.0.0' }
const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: {} }
const constraint = { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule' }
const pods = ['n1', 'n2'].map((nodeName) => podView({ name: `on-${nodeName}`, nodeName, hostPorts: [port] }))
const [asking, other] = pods
if (asking === undefined || other === undefined) throw new Error('two pods')

test.each([
  { name: 'a pod without wishes is under no rule', pod: {}, expected: [] },
  { name: 'host ports are one rule', pod: { hostPorts: [port, { ...port, port: 81 }] }, expected: ['ports'] },
  { name: 'a spread is a rule', pod: { spreadConstraints: [constraint] }, expected: ['spread'] },
  { name: 'affinity is a rule', pod: { podAffinity: [term] }, expected: ['near'] },
  { name: 'anti-affinity is a rule', pod: { antiAffinity: [term] }, expected: ['away'] },
])('$name', ({ pod, expected }) => {
  const rules = new SchedulerRules({ nodes, namespaces: new Map() }, new CycleState({ pods }))
  rules.catchUp()
  const found = atOnce(rules.rulesFor(podView({ name: 'p', ...pod })))
  expect(found.map(({ key }) => key.split(' ')[0])).toEqual(expected)
})

describe('the preparation', () => {
  const create = () => {
    const state = new CycleState({ pods })
    return { state, rules: new SchedulerRules({ nodes, namespaces: new Map() }, state) }
  }
  const isTakenAt = (rules: SchedulerRules, position: number) =>
    atOnce(rules.rulesFor(asking)).some((rule) => rule.misfitAt(position, rule.shareOf(asking)) !== undefined)

  test('breathes at every node, and is done once', () => {
    const { rules } = create()
    const steps = [...rules.prepare()]
    expect(steps.length).toBeGreaterThanOrEqual(nodes.length)
    expect(steps.every((step) => step === breath)).toBe(true)
    expect([...rules.prepare()]).toEqual([])
  })

  test('is finished before the first answer if it was broken off', () => {
    const { rules, state } = create()
    for (const _ of rules.prepare()) break
    rules.catchUp()
    expect([isTakenAt(rules, 0), isTakenAt(rules, 1)]).toEqual([true, true])
    state.sendAway(other)
    rules.catchUp()
    expect([isTakenAt(rules, 0), isTakenAt(rules, 1)]).toEqual([true, false])
  })

  test('leaves out who left before it, or in the middle of it', () => {
    const { rules, state } = create()
    state.sendAway(asking)
    for (const _ of rules.prepare()) break
    state.sendAway(other)
    rules.catchUp()
    expect([isTakenAt(rules, 0), isTakenAt(rules, 1)]).toEqual([false, false])
  })
})
