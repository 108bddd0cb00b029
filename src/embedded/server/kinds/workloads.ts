import { isDeepStrictEqual } from 'node:util'
import { matchesLabelSelector } from '../../../api/kubernetes/label-selector.ts'
import type { LabelSelector } from '../../../api/kubernetes/meta.ts'
import type { ResourceDefinition } from '../definition.ts'
import type { FieldFault } from '../failure.ts'
import { statefulSetMergeKeys, workloadMergeKeys } from '../patch/merge-keys.ts'
import type { AnyObject } from '../store.ts'
import { builtIn, scale, statusOf } from './built-in.ts'
import { withPodDefaults, type PodSpec } from './pod-template.ts'

interface Template {
  readonly metadata?: { readonly labels?: Record<string, string> }
  readonly spec?: PodSpec
}

interface WorkloadSpec {
  readonly selector?: LabelSelector
  readonly template?: Template
  readonly [field: string]: unknown
}

const specOf = (object: AnyObject) => (object['spec'] ?? {}) as WorkloadSpec

/** Kinds that make pods from a template, by a selector that must match it and never changes. */
function workload(options: {
  readonly plural: string
  readonly kind: string
  readonly shortName?: string
  readonly scaled: boolean
  /** What is not given, and only that. */
  readonly defaults: (spec: WorkloadSpec) => object
}): ResourceDefinition {
  const names = { group: 'apps', version: 'v1', plural: options.plural, kind: options.kind }
  return builtIn({
    ...names,
    shortNames: options.shortName === undefined ? [] : [options.shortName],
    categories: ['all'],
    subresources: options.scaled ? [statusOf(names), scale] : [statusOf(names)],
    countsGenerations: true,
    fillDefaults: (object) => {
      const spec = specOf(object)
      const template = { ...spec.template, spec: withPodDefaults(spec.template?.spec ?? {}) }
      return { ...object, spec: { ...spec, template, ...options.defaults(spec) } }
    },
    mergeKeys: options.kind === 'StatefulSet' ? statefulSetMergeKeys : workloadMergeKeys,
    prepareForCreate: ({ status: _, ...object }) => ({ ...object, status: {} }),
    validate: (object, old) => [
      ...replicaFaults(object),
      ...selectorFaults(object),
      ...(old === undefined ? [] : selectorChange(object, old)),
    ],
  })
}

export const deployments = workload({
  plural: 'deployments',
  kind: 'Deployment',
  shortName: 'deploy',
  scaled: true,
  defaults: ({ replicas = 1, revisionHistoryLimit = 10, progressDeadlineSeconds = 600, strategy }) => ({
    replicas,
    revisionHistoryLimit,
    progressDeadlineSeconds,
    strategy: rollingStrategy(strategy as { type?: string } | undefined),
  }),
})

export const replicaSets = workload({
  plural: 'replicasets',
  kind: 'ReplicaSet',
  shortName: 'rs',
  scaled: true,
  defaults: ({ replicas = 1 }) => ({ replicas }),
})

export const statefulSets = workload({
  plural: 'statefulsets',
  kind: 'StatefulSet',
  shortName: 'sts',
  scaled: true,
  defaults: ({ replicas = 1, revisionHistoryLimit = 10, podManagementPolicy = 'OrderedReady', updateStrategy }) => ({
    replicas,
    revisionHistoryLimit,
    podManagementPolicy,
    updateStrategy: updateStrategyOf(updateStrategy, { partition: 0 }),
  }),
})

export const daemonSets = workload({
  plural: 'daemonsets',
  kind: 'DaemonSet',
  shortName: 'ds',
  scaled: false,
  defaults: ({ revisionHistoryLimit = 10, updateStrategy }) => ({
    revisionHistoryLimit,
    updateStrategy: updateStrategyOf(updateStrategy, { maxUnavailable: 1, maxSurge: 0 }),
  }),
})

function updateStrategyOf(given: unknown, rollingDefaults: object): object {
  const strategy = (given ?? {}) as { type?: string; rollingUpdate?: object }
  if (strategy.type === 'OnDelete') return strategy
  return { type: 'RollingUpdate', rollingUpdate: { ...rollingDefaults, ...strategy.rollingUpdate } }
}

/** Both numbers have their own default, also where only one of them is given. */
function rollingStrategy(strategy: { type?: string; rollingUpdate?: object } | undefined): object {
  if (strategy?.type === 'Recreate') return strategy
  return {
    type: 'RollingUpdate',
    rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%', ...strategy?.rollingUpdate },
  }
}

function replicaFaults(object: AnyObject): FieldFault[] {
  const { replicas } = specOf(object)
  if (typeof replicas !== 'number' || replicas >= 0) return []
  return [
    {
      field: 'spec.replicas',
      kind: 'Invalid',
      message: `Invalid value: ${replicas}: must be greater than or equal to 0`,
    },
  ]
}

function selectorFaults(object: AnyObject): FieldFault[] {
  const { selector, template } = specOf(object)
  const labels = template?.metadata?.labels
  const missing: FieldFault[] =
    selector === undefined ? [{ field: 'spec.selector', kind: 'Required', message: 'Required value' }] : []
  if (selector !== undefined && matchesLabelSelector(selector, labels)) return missing
  const message = `Invalid value: ${JSON.stringify(labels ?? {})}: \`selector\` does not match template \`labels\``
  return [...missing, { field: 'spec.template.metadata.labels', kind: 'Invalid', message }]
}

function selectorChange(object: AnyObject, old: AnyObject): FieldFault[] {
  const { selector } = specOf(object)
  if (isDeepStrictEqual(selector, specOf(old).selector)) return []
  return [
    {
      field: 'spec.selector',
      kind: 'Invalid',
      message: `Invalid value: ${JSON.stringify(selector)}: field is immutable`,
    },
  ]
}
