import { describe, expect, test } from 'vitest'
import { parsedPolicy, policyText, problemsIn } from '../../../test/build/descheduler-policy.ts'
import { parsePolicy } from './parse-policy.ts'

const profiles = (...entries: readonly string[]) => policyText(`profiles: [${entries.join(', ')}]`)
const duplicates = '{ name: RemoveDuplicates }'

describe('plugins run', () => {
  test.each([
    { name: 'not without any', text: profiles('{ name: p }'), deschedule: [], balance: [] },
    {
      name: 'not if nothing is there',
      text: profiles('{ name: p, pluginConfig: null, plugins: null }'),
      deschedule: [],
      balance: [],
    },
    {
      name: 'not if they are only configured',
      text: profiles(`{ name: p, pluginConfig: [${duplicates}], plugins: { balance: { enabled: [] } } }`),
      deschedule: [],
      balance: [],
    },
    {
      name: 'in the order in which they are enabled',
      text: profiles(
        `{ name: p, pluginConfig: [${duplicates}, { name: RemoveFailedPods }, { name: RemovePodsViolatingNodeTaints },
          { name: RemovePodsViolatingTopologySpreadConstraint, args: {} }],
          plugins: { balance: { enabled: [RemovePodsViolatingTopologySpreadConstraint, RemoveDuplicates] },
          deschedule: { enabled: [RemovePodsViolatingNodeTaints, RemoveFailedPods] } } }`,
      ),
      deschedule: ['RemovePodsViolatingNodeTaints', 'RemoveFailedPods'],
      balance: ['RemovePodsViolatingTopologySpreadConstraint', 'RemoveDuplicates'],
    },
    {
      name: 'as often as they are enabled',
      text: profiles(
        `{ name: p, pluginConfig: [${duplicates}], plugins: { balance: { enabled: [RemoveDuplicates, RemoveDuplicates] } } }`,
      ),
      deschedule: [],
      balance: ['RemoveDuplicates', 'RemoveDuplicates'],
    },
    {
      name: 'beside DefaultEvictor, which needs no config',
      text: profiles(
        `{ name: p, pluginConfig: [${duplicates}], plugins: { balance: { enabled: [RemoveDuplicates] },
          filter: { enabled: [DefaultEvictor] }, preevictionfilter: { enabled: [DefaultEvictor] } } }`,
      ),
      deschedule: [],
      balance: ['RemoveDuplicates'],
    },
  ])('$name', ({ text, deschedule, balance }) => {
    const [profile] = parsedPolicy(text).profiles
    expect(profile?.deschedule.map(({ name }) => name)).toEqual(deschedule)
    expect(profile?.balance.map(({ name }) => name)).toEqual(balance)
    expect(profile?.defaultEvictor.nodeFit).toBe(false)
  })

  test('with the args of their own profile', () => {
    const profile = (name: string, nodeFit: boolean, kind: string) =>
      `{ name: ${name}, pluginConfig: [{ name: DefaultEvictor, args: { nodeFit: ${nodeFit} } },
        { name: RemoveDuplicates, args: { excludeOwnerKinds: [${kind}] } }], plugins: { balance: { enabled: [RemoveDuplicates] } } }`
    const policy = parsedPolicy(profiles(profile('one', true, 'Job'), profile('two', false, 'ReplicaSet')))
    expect(
      policy.profiles.map(({ name, defaultEvictor, balance }) => [name, defaultEvictor.nodeFit, balance[0]?.args]),
    ).toEqual([
      ['one', true, { excludeOwnerKinds: ['Job'] }],
      ['two', false, { excludeOwnerKinds: ['ReplicaSet'] }],
    ])
  })

  test('with the first of two configs, as upstream does', () => {
    const parsed = parsePolicy(
      profiles(
        `{ name: p, pluginConfig: [{ name: RemoveFailedPods, args: { minPodLifetimeSeconds: 1 } },
          { name: RemoveFailedPods, args: { minPodLifetimeSeconds: 2 } }], plugins: { deschedule: { enabled: [RemoveFailedPods] } } }`,
      ),
    )
    expect(parsed).toMatchObject({
      policy: { profiles: [{ deschedule: [{ args: { minPodLifetimeSeconds: 1 } }] }] },
      warnings: ['profile p: pluginConfig[1].name is RemoveFailedPods once more: this entry has no effect'],
    })
  })
})

const allPlugins =
  'DefaultEvictor, HighNodeUtilization, LowNodeUtilization, PodLifeTime, RemoveDuplicates, RemoveFailedPods, ' +
  'RemovePodsHavingTooManyRestarts, RemovePodsViolatingInterPodAntiAffinity, RemovePodsViolatingNodeAffinity, ' +
  'RemovePodsViolatingNodeTaints, RemovePodsViolatingTopologySpreadConstraint'

describe('a profile is wrong', () => {
  test.each([
    {
      name: 'with a plugin that has no config',
      text: profiles('{ name: p, plugins: { balance: { enabled: [RemoveDuplicates] } } }'),
      expected: [
        'profile p: plugins.balance.enabled[0] is "RemoveDuplicates": needs an entry in pluginConfig, which may be without args',
      ],
    },
    {
      name: 'with a misspelt plugin in its config',
      text: profiles('{ name: p, pluginConfig: [{ name: RemoveDuplicate }] }'),
      expected: [
        'profile p: pluginConfig[0].name is "RemoveDuplicate": must be a plugin; did you mean RemoveDuplicates?',
      ],
    },
    {
      name: 'with a plugin of its own in its config',
      text: profiles('{ name: p, pluginConfig: [{ name: MyPlugin }] }'),
      expected: [`profile p: pluginConfig[0].name is "MyPlugin": must be a plugin; there are ${allPlugins}`],
    },
    {
      name: 'with a config without a name',
      text: profiles('{ name: p, pluginConfig: [{ args: {} }] }'),
      expected: [`profile p: pluginConfig[0].name is missing: must be a plugin; there are ${allPlugins}`],
    },
    {
      name: 'with a config that is only a name',
      text: profiles('{ name: p, pluginConfig: [RemoveDuplicates] }'),
      expected: [
        'profile p: pluginConfig[0] is "RemoveDuplicates": must be an object',
        `profile p: pluginConfig[0].name is missing: must be a plugin; there are ${allPlugins}`,
      ],
    },
    {
      name: 'with configs by name',
      text: profiles('{ name: p, pluginConfig: { RemoveDuplicates: {} } }'),
      expected: ['profile p: pluginConfig is {"RemoveDuplicates":{}}: must be a list'],
    },
    {
      name: 'with a misspelt plugin among the enabled ones',
      text: profiles('{ name: p, plugins: { deschedule: { enabled: [RemovePodsViolatingNodeTaint] } } }'),
      expected: [
        'profile p: plugins.deschedule.enabled[0] is "RemovePodsViolatingNodeTaint": must be a plugin; did you mean RemovePodsViolatingNodeTaints?',
      ],
    },
    {
      name: 'with a plugin of its own among the enabled ones',
      text: profiles('{ name: p, plugins: { filter: { enabled: [MyFilter] } } }'),
      expected: ['profile p: plugins.filter.enabled[0] is "MyFilter": must be a plugin; there are DefaultEvictor'],
    },
    {
      name: 'with a balance plugin under deschedule',
      text: profiles(
        `{ name: p, pluginConfig: [${duplicates}], plugins: { deschedule: { enabled: [RemoveDuplicates] } } }`,
      ),
      expected: ['profile p: plugins.deschedule.enabled[0] is "RemoveDuplicates": belongs under balance'],
    },
    {
      name: 'with a deschedule plugin under balance',
      text: profiles(
        '{ name: p, pluginConfig: [{ name: RemoveFailedPods }], plugins: { balance: { enabled: [RemoveFailedPods] } } }',
      ),
      expected: ['profile p: plugins.balance.enabled[0] is "RemoveFailedPods": belongs under deschedule'],
    },
    {
      name: 'with DefaultEvictor under balance',
      text: profiles('{ name: p, plugins: { balance: { enabled: [DefaultEvictor] } } }'),
      expected: [
        'profile p: plugins.balance.enabled[0] is "DefaultEvictor": belongs under filter and preevictionfilter',
      ],
    },
    {
      name: 'with a balance plugin under filter',
      text: profiles(
        `{ name: p, pluginConfig: [${duplicates}], plugins: { preevictionfilter: { enabled: [RemoveDuplicates] } } }`,
      ),
      expected: ['profile p: plugins.preevictionfilter.enabled[0] is "RemoveDuplicates": belongs under balance'],
    },
    {
      name: 'with a plugin outside of a list',
      text: profiles('{ name: p, plugins: { balance: { enabled: RemoveDuplicates } } }'),
      expected: ['profile p: plugins.balance.enabled is "RemoveDuplicates": must be a list'],
    },
    {
      name: 'with a list of plugins without `enabled`',
      text: profiles('{ name: p, plugins: { balance: [RemoveDuplicates] } }'),
      expected: ['profile p: plugins.balance is ["RemoveDuplicates"]: must be an object'],
    },
    {
      name: 'with wrong args of a plugin that is not enabled',
      text: profiles('{ name: p, pluginConfig: [{ name: PodLifeTime }] }'),
      expected: [
        'profile p, plugin PodLifeTime: args is missing: must have at least one of maxPodLifeTimeSeconds, states, conditions, exitCodes',
      ],
    },
    {
      name: 'with wrong args in its second config of a plugin',
      text: profiles(`{ name: p, pluginConfig: [${duplicates}, { name: RemoveDuplicates, args: { kinds: 1 } }] }`),
      expected: [
        'profile p, plugin RemoveDuplicates: args.kinds is 1: there is no such field; there are excludeOwnerKinds, namespaces',
      ],
    },
    {
      name: 'without a name: its place stands for it',
      text: profiles('{ name: p }', '{ plugins: { balance: { enabled: [RemoveDuplicates] } } }'),
      expected: [
        'profile profiles[1]: plugins.balance.enabled[0] is "RemoveDuplicates": needs an entry in pluginConfig, which may be without args',
      ],
    },
    {
      name: 'with a number as its name',
      text: profiles('{ name: 1 }'),
      expected: ['profiles[0].name is 1: must be a string'],
    },
    { name: 'that is a text', text: profiles('p'), expected: ['profiles[0] is "p": must be an object'] },
    {
      name: 'in two of them, which are told at once',
      text: profiles(
        '{ name: a, pluginConfig: [{ name: RemoveFailedPods, args: { namespaces: { include: [x], exclude: [x] } } }] }',
        '{ name: b, pluginConfig: [{ name: RemovePodsHavingTooManyRestarts }] }',
      ),
      expected: [
        'profile a, plugin RemoveFailedPods: args.namespaces is {"include":["x"],"exclude":["x"]}: must have include or exclude, not both',
        'profile b, plugin RemovePodsHavingTooManyRestarts: args.podRestartThreshold is missing: must be a whole number from 1 to 2147483647',
      ],
    },
  ])('$name', ({ text, expected }) => expect(problemsIn(text)).toEqual(expected))
})

describe('a profile has no effect', () => {
  test.each([
    {
      name: 'with an extension point in camel case',
      text: profiles('{ name: p, plugins: { preEvictionFilter: { enabled: [DefaultEvictor] } } }'),
      expected: [
        'profile p: plugins.preEvictionFilter has no effect: there is no such field; did you mean preevictionfilter?',
      ],
    },
    {
      name: 'with an extension point of its own',
      text: profiles('{ name: p, plugins: { permit: { enabled: [DefaultEvictor] } } }'),
      expected: ['profile p: plugins.permit has no effect: there is no such field'],
    },
    {
      name: 'with sorting',
      text: profiles('{ name: p, plugins: { presort: { enabled: [A] }, sort: { enabled: [B] } } }'),
      expected: [
        'profile p: plugins.presort has no effect: there is no plugin for it',
        'profile p: plugins.sort has no effect: there is no plugin for it',
      ],
    },
    {
      name: 'with plugins that are disabled',
      text: profiles('{ name: p, plugins: { balance: { disabled: ["*"] } } }'),
      expected: ['profile p: plugins.balance.disabled has no effect: a plugin is off unless it is enabled'],
    },
    {
      name: 'with a misspelt list of configs',
      text: profiles('{ name: p, pluginConfigs: [] }'),
      expected: ['profile p: pluginConfigs has no effect: there is no such field; did you mean pluginConfig?'],
    },
    {
      name: 'with args under another word',
      text: profiles('{ name: p, pluginConfig: [{ name: RemoveDuplicates, arg: {} }] }'),
      expected: ['profile p: pluginConfig[0].arg has no effect: there is no such field; did you mean args?'],
    },
    {
      name: 'with DefaultEvictor twice',
      text: profiles('{ name: p, pluginConfig: [{ name: DefaultEvictor }, { name: DefaultEvictor }] }'),
      expected: ['profile p: pluginConfig[1].name is DefaultEvictor once more: this entry has no effect'],
    },
  ])('$name, and a warning tells it', ({ text, expected }) => {
    expect(parsePolicy(text).warnings).toEqual(expected)
    expect(problemsIn(text)).toEqual([])
  })

  test('warnings come beside problems, whose cause they may be', () => {
    const parsed = parsePolicy(
      profiles(
        '{ name: p, pluginConfigs: [{ name: RemoveDuplicates }], plugins: { balance: { enabled: [RemoveDuplicates] } } }',
      ),
    )
    expect(parsed).toHaveProperty('problems')
    expect(parsed.warnings).toEqual([
      'profile p: pluginConfigs has no effect: there is no such field; did you mean pluginConfig?',
    ])
  })
})
