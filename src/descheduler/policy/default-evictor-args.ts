import { fromZero, int32, type Fields } from './fields.ts'
import { readDuration } from './go-duration.ts'
import {
  defaultProtections,
  extraProtections,
  type DefaultEvictorArgs,
  type PriorityThreshold,
  type Protection,
} from './policy.ts'
import { readLabelSelector, readNodeSelector } from './selectors.ts'

// The rules are upstream's:
// https://github.com/kubernetes-sigs/descheduler/blob/v0.36.0/pkg/framework/plugins/defaultevictor/validation.go

/** The highest that a priority class of a user can have. */
const priorityThresholdMax = 2_000_000_000

/** How protections were written before `podProtections`. */
const oldFlags: Readonly<Record<string, { readonly protection: Protection; readonly protects: boolean }>> = {
  evictLocalStoragePods: { protection: 'PodsWithLocalStorage', protects: false },
  evictDaemonSetPods: { protection: 'DaemonSetPods', protects: false },
  evictSystemCriticalPods: { protection: 'SystemCriticalPods', protects: false },
  evictFailedBarePods: { protection: 'FailedBarePods', protects: false },
  ignorePvcPods: { protection: 'PodsWithPVC', protects: true },
  ignorePodsWithoutPDB: { protection: 'PodsWithoutPDB', protects: true },
}

export function readDefaultEvictor(fields: Fields): DefaultEvictorArgs {
  const podProtections = fields.object('podProtections')
  const minReplicas = fields.integer('minReplicas', fromZero) ?? 0
  if (minReplicas === 1) fields.warn('minReplicas', 'has no effect: only more than 1 keeps a pod')
  return {
    protections: readProtections(fields, podProtections),
    protectedStorageClasses: readStorageClasses(podProtections),
    nodeSelector: readNodeSelector(fields, 'nodeSelector'),
    labelSelector: readLabelSelector(fields, 'labelSelector'),
    namespaceLabelSelector: readLabelSelector(fields, 'namespaceLabelSelector'),
    priorityThreshold: readPriorityThreshold(fields),
    nodeFit: fields.flag('nodeFit') ?? false,
    minReplicas,
    minPodAgeMs: readDuration(fields, 'minPodAge'),
    noEvictionPolicy: fields.choice('noEvictionPolicy', ['Preferred', 'Mandatory']) ?? 'Preferred',
  }
}

function readProtections(fields: Fields, podProtections: Fields | undefined): ReadonlySet<Protection> {
  const flags = Object.keys(oldFlags).filter((name) => fields.flag(name) === true)
  const disabled = readNames(podProtections, 'defaultDisabled', defaultProtections)
  const enabled = readNames(podProtections, 'extraEnabled', extraProtections)
  const protections = new Set<Protection>(defaultProtections)
  for (const protection of disabled) protections.delete(protection)
  for (const protection of enabled) protections.add(protection)
  for (const name of flags) {
    if (disabled.length + enabled.length > 0) {
      fields.wrong(name, 'must be left out beside podProtections, which replaces it')
    }
    const flag = oldFlags[name]
    if (flag?.protects === true) protections.add(flag.protection)
    else if (flag !== undefined) protections.delete(flag.protection)
  }
  return protections
}

function readNames<Name extends Protection>(
  podProtections: Fields | undefined,
  field: string,
  names: readonly Name[],
): readonly Name[] {
  const given = podProtections?.choices(field, names) ?? []
  for (const name of new Set(given.filter((each, index) => given.indexOf(each) !== index))) {
    podProtections?.wrong(field, `must have ${name} only once`)
  }
  return given
}

/** An empty list protects every claim, as none at all does. */
function readStorageClasses(podProtections: Fields | undefined): readonly string[] | undefined {
  const classes = podProtections?.object('config')?.object('PodsWithPVC')?.objects('protectedStorageClasses') ?? []
  const names = classes.map((each) => {
    each.require('name', 'must be the name of a storage class')
    return each.text('name') ?? ''
  })
  return names.length === 0 ? undefined : names
}

function readPriorityThreshold(fields: Fields): PriorityThreshold | undefined {
  const threshold = fields.object('priorityThreshold')
  const value = threshold?.integer('value', { ...int32, maximum: priorityThresholdMax })
  const name = threshold?.text('name')
  if (value !== undefined && name !== undefined) threshold?.wrongAsWhole('must have value or name, not both')
  if (value !== undefined) return { value }
  return name === undefined ? undefined : { name }
}
