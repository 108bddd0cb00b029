import { fromZero, int32, mustBeWithin, type Fields } from './fields.ts'
import { given } from './given.ts'
import type {
  ConditionFilter,
  NodeAffinityArgs,
  NodeTaintsArgs,
  PodLifeTimeArgs,
  RemoveFailedPodsArgs,
  TooManyRestartsArgs,
} from './policy.ts'
import { readOwnerKinds, readPodSelection } from './selectors.ts'

// The args of deschedule plugins. The rules are those of upstream's validation.go beside each plugin:
// https://github.com/kubernetes-sigs/descheduler/tree/v0.36.0/pkg/framework/plugins

const podStates = {
  phases: ['Running', 'Pending', 'Succeeded', 'Failed', 'Unknown'],
  reasons: ['NodeAffinity', 'NodeLost', 'Shutdown', 'UnexpectedAdmissionError'],
  creating: ['PodInitializing', 'ContainerCreating', 'CreateContainerConfigError', 'CreateContainerError'],
  waiting: ['ImagePullBackOff', 'CrashLoopBackOff', 'ErrImagePull', 'InvalidImageName'],
  terminated: ['OOMKilled', 'Error', 'Completed', 'DeadlineExceeded', 'Evicted', 'ContainerCannotRun', 'StartError'],
}
const restartStates = ['Running', 'CrashLoopBackOff']
const nodeAffinityTypes = [
  'requiredDuringSchedulingIgnoredDuringExecution',
  'preferredDuringSchedulingIgnoredDuringExecution',
]
const minPodLifetimeSecondsDefault = 3_600

export function readPodLifeTime(fields: Fields): PodLifeTimeArgs {
  const criteria = {
    maxPodLifeTimeSeconds: fields.integer('maxPodLifeTimeSeconds', fromZero),
    states: fields.choices('states', Object.values(podStates).flat()),
    conditions: readConditions(fields),
    exitCodes: fields.integers('exitCodes', int32),
  }
  if (Object.keys(criteria).every((name) => isLeftOut(fields.value(name)))) {
    fields.wrongAsWhole(`must have at least one of ${Object.keys(criteria).join(', ')}`)
  }
  return given({
    ...readPodSelection(fields),
    ...criteria,
    ownerKinds: readOwnerKinds(fields, 'ownerKinds'),
    includingInitContainers: fields.flag('includingInitContainers'),
    includingEphemeralContainers: fields.flag('includingEphemeralContainers'),
  })
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0)
}

function readConditions(fields: Fields): readonly ConditionFilter[] | undefined {
  const conditions = fields.objects('conditions').map((condition) => {
    const filter = given({
      type: condition.text('type'),
      status: condition.text('status'),
      reason: condition.text('reason'),
      minTimeSinceLastTransitionSeconds: condition.integer('minTimeSinceLastTransitionSeconds', fromZero),
    })
    if (Object.keys(filter).length === 0) {
      condition.wrongAsWhole('must have at least one of type, status, reason, minTimeSinceLastTransitionSeconds')
    }
    return filter
  })
  return conditions.length === 0 ? undefined : conditions
}

export function readRemoveFailedPods(fields: Fields): RemoveFailedPodsArgs {
  return given({
    ...readPodSelection(fields),
    minPodLifetimeSeconds: fields.integer('minPodLifetimeSeconds', fromZero) ?? minPodLifetimeSecondsDefault,
    excludeOwnerKinds: fields.texts('excludeOwnerKinds'),
    reasons: fields.texts('reasons'),
    exitCodes: fields.integers('exitCodes', int32),
    includingInitContainers: fields.flag('includingInitContainers'),
  })
}

export function readTooManyRestarts(fields: Fields): TooManyRestartsArgs {
  const range = { ...int32, minimum: 1 }
  fields.require('podRestartThreshold', mustBeWithin(range))
  return given({
    ...readPodSelection(fields),
    podRestartThreshold: fields.integer('podRestartThreshold', range) ?? 1,
    includingInitContainers: fields.flag('includingInitContainers'),
    states: fields.choices('states', restartStates),
  })
}

export function readNodeTaints(fields: Fields): NodeTaintsArgs {
  const excludedTaints = fields.texts('excludedTaints')
  const includedTaints = fields.texts('includedTaints')
  if (excludedTaints !== undefined && includedTaints !== undefined) {
    fields.wrong('includedTaints', 'must be left out beside excludedTaints')
  }
  return given({
    ...readPodSelection(fields),
    includePreferNoSchedule: fields.flag('includePreferNoSchedule'),
    excludedTaints,
    includedTaints,
  })
}

/** Upstream only logs a type that it does not know, cycle by cycle. */
export function readNodeAffinity(fields: Fields): NodeAffinityArgs {
  fields.require('nodeAffinityType', `must have at least one of ${nodeAffinityTypes.join(', ')}`)
  const nodeAffinityType = fields.texts('nodeAffinityType') ?? []
  for (const type of nodeAffinityType.filter((each) => !nodeAffinityTypes.includes(each))) {
    fields.warn('nodeAffinityType', `has ${JSON.stringify(type)}, which has no effect`)
  }
  return given({ ...readPodSelection(fields), nodeAffinityType })
}
