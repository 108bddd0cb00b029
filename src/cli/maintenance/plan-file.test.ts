import { describe, expect, test } from 'vitest'
import { CommandError } from '../output/errors.ts'
import { parsePlanFile } from './plan-file.ts'

const entries = [
  { podPriority: 100, podType: 'Default', podSelector: { matchLabels: { app: 'batch' } } },
  { podPriority: 1000, podType: 'DaemonSet' },
]

const list = `- podPriority: 100
  podType: Default
  podSelector: { matchLabels: { app: batch } }
- { podPriority: 1000, podType: DaemonSet }
`
const indented = list.replaceAll(/^/gm, '    ').trimEnd()

test.each([
  { name: 'a list', text: list },
  { name: 'a list in JSON', text: JSON.stringify(entries) },
  { name: 'a spec', text: `drainPlan:\n${indented}\n` },
  {
    name: 'a NodeMaintenance',
    text: `apiVersion: nodemaintenance.k8s.io/v1alpha1\nkind: NodeMaintenance\nspec:\n  stage: Drain\n  drainPlan:\n${indented}\n`,
  },
])('$name is a plan', ({ text }) => expect(parsePlanFile(text, 'plan.yaml')).toEqual(entries))

test('an empty plan is one', () => {
  expect(parsePlanFile('[]', 'plan.yaml')).toEqual([])
  expect(parsePlanFile('drainPlan:\n', 'plan.yaml')).toEqual([])
})

describe('a bad one is refused with file, line, column, field, value and what is allowed', () => {
  test.each([
    {
      name: 'no YAML',
      text: '- podPriority: 1\n  podType: [Default\n',
      message: /^plan\.yaml:3:1: Flow sequence/,
    },
    {
      name: 'nothing',
      text: '',
      message: 'plan.yaml:1:1: neither a list of plan entries nor a NodeMaintenance with spec.drainPlan',
    },
    { name: 'something else', text: '# a note\nkind: Pod\n', message: /^plan\.yaml:2:1: neither a list/ },
    {
      name: 'a wrong type',
      text: '- podPriority: 1\n  podType: Normal\n',
      message: 'plan.yaml:2:12: drainPlan[0].podType is "Normal": must be one of Default, DaemonSet, Static',
    },
    {
      name: 'a wrong number',
      text: 'spec:\n  drainPlan:\n    - podPriority: many\n',
      message: 'plan.yaml:3:20: drainPlan[0].podPriority is "many": must be an integer from -2147483648 to 2147483647',
    },
    {
      name: 'a missing number, at its entry',
      text: '- podPriority: 1\n- podType: Default\n',
      message: /^plan\.yaml:2:3: drainPlan\[1\]\.podPriority is missing: must be an integer/,
    },
    {
      name: 'a misspelt field, which the server would drop',
      text: '- podPriority: 1\n  podTyp: DaemonSet\n',
      message:
        'plan.yaml:2:11: drainPlan[0].podTyp is "DaemonSet": there is no such field; there are podSelector, podPriority, podType',
    },
    {
      name: 'a misspelt field of a selector',
      text: '- podPriority: 1\n  podSelector: { matchLabel: { app: a } }\n',
      message: /^plan\.yaml:2:30: drainPlan\[0\]\.podSelector\.matchLabel is/,
    },
    {
      name: 'an operator that there is not',
      text: '- podPriority: 1\n  podSelector:\n    matchExpressions:\n      - { key: app, operator: Is, values: [a] }\n',
      message:
        /^plan\.yaml:4:31: drainPlan\[0\]\.podSelector\.matchExpressions\[0\]\.operator is "Is": must be one of In, NotIn/,
    },
    {
      name: 'entries in the wrong order, at the first that is too late',
      text: '- podPriority: 2\n- podPriority: 1\n',
      message: /^plan\.yaml:2:3: drainPlan\[1\] is .*: entries must be in the order Default, DaemonSet, Static/,
    },
    {
      name: 'an entry twice',
      text: '- podPriority: 1\n- { podPriority: 1, podType: Default }\n',
      message: /^plan\.yaml:2:3: drainPlan\[1\] is .*: no entry may be there twice/,
    },
    {
      name: 'an empty selector',
      text: '- podPriority: 1\n  podSelector: {}\n',
      message: /^plan\.yaml:2:16: drainPlan\[0\]\.podSelector is \{\}: an empty selector is not allowed/,
    },
    { name: 'no list', text: 'drainPlan: 5\n', message: /^plan\.yaml:1:12: drainPlan is 5: must be a list/ },
    {
      name: 'more entries than there is room for beside the default ones',
      text: Array.from({ length: 60 }, (_, index) => `- podPriority: ${index}\n`).join(''),
      message:
        /^plan\.yaml:1:1: drainPlan is "60 entries": must be at most 64 entries with the default ones, and would be 72/,
    },
    {
      name: 'two mistakes: the first, and how many more',
      text: '- podPriority: a\n- podPriority: b\n',
      message: /^plan\.yaml:1:16: .* \(and 1 more\)$/,
    },
  ])('$name', ({ text, message }) => {
    const refused = () => parsePlanFile(text, 'plan.yaml')
    expect(refused).toThrow(message)
    expect(refused).toThrow(
      expect.objectContaining({ exitCode: 2, advice: expect.stringContaining('Nothing was changed') }),
    )
    expect(refused).toThrow(CommandError)
  })
})
