import {
  readHighNodeUtilization,
  readLowNodeUtilization,
  readRemoveDuplicates,
  readTopologySpread,
} from './balance-args.ts'
import {
  readNodeAffinity,
  readNodeTaints,
  readPodLifeTime,
  readRemoveFailedPods,
  readTooManyRestarts,
} from './deschedule-args.ts'
import type { Fields } from './fields.ts'
import type { PluginArgs, PluginName } from './policy.ts'
import { readPodSelection } from './selectors.ts'

/** Where a plugin belongs, and how its args are read. */
type PluginForms = {
  readonly [Name in PluginName]: {
    readonly extensionPoint: 'deschedule' | 'balance'
    readonly read: (args: Fields) => PluginArgs[Name]
  }
}

/** Every plugin but DefaultEvictor. */
export const pluginForms: PluginForms = {
  PodLifeTime: { extensionPoint: 'deschedule', read: readPodLifeTime },
  RemoveFailedPods: { extensionPoint: 'deschedule', read: readRemoveFailedPods },
  RemovePodsHavingTooManyRestarts: { extensionPoint: 'deschedule', read: readTooManyRestarts },
  RemovePodsViolatingNodeTaints: { extensionPoint: 'deschedule', read: readNodeTaints },
  RemovePodsViolatingNodeAffinity: { extensionPoint: 'deschedule', read: readNodeAffinity },
  RemovePodsViolatingInterPodAntiAffinity: { extensionPoint: 'deschedule', read: readPodSelection },
  RemoveDuplicates: { extensionPoint: 'balance', read: readRemoveDuplicates },
  LowNodeUtilization: { extensionPoint: 'balance', read: readLowNodeUtilization },
  HighNodeUtilization: { extensionPoint: 'balance', read: readHighNodeUtilization },
  RemovePodsViolatingTopologySpreadConstraint: { extensionPoint: 'balance', read: readTopologySpread },
}

export const defaultEvictor = 'DefaultEvictor'
export const pluginNames = Object.keys(pluginForms) as readonly PluginName[]

export function isPluginName(name: string): name is PluginName {
  return Object.hasOwn(pluginForms, name)
}
