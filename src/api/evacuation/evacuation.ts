import Type from 'typebox'
import { blockedByList } from '../blocker/blocked-by.ts'
import { conditionList } from '../schema/condition.ts'
import { evacuationNameRules } from './evacuation-name.ts'
import { evacuatorLimits, evacuatorListRules, evacuatorSchema, type Evacuator } from './evacuator.ts'
import type { NamespacedMeta, NamespacedObject } from '../kubernetes/meta.ts'
import type { Resource } from '../kubernetes/resources.ts'
import { apiVersionOfEvacuation, evacuationGroup } from '../names.ts'
import { rules, type Rule } from '../schema/rule.ts'
import { count, dnsSubdomain, integer, oneOf, podUid, text, timestamp, type Described } from '../schema/schema.ts'

export const evacuationLimits = {
  progressDeadlineSecondsMin: 600,
  progressDeadlineSecondsMax: 21_600,
  progressDeadlineSecondsDefault: 1_800,
  messageLengthMax: 32_768,
} as const

const podRefSchema = Type.Object(
  {
    name: dnsSubdomain('Name of the pod.'),
    uid: podUid('UID of the pod, so that a later pod of the same name is left alone.'),
  },
  {
    description: 'The pod that should leave its node, in the namespace of the Evacuation. Immutable.',
    'x-kubernetes-map-type': 'atomic',
    ...rules<{ name: string; uid: string }>({
      rule: 'self == oldSelf',
      message: 'podRef is immutable: another pod needs another Evacuation',
      holds: (self, oldSelf) => self.name === oldSelf.name && self.uid === oldSelf.uid,
    }),
  },
)

const evacuatorsStay: Rule<readonly Evacuator[]> = {
  rule: 'self == oldSelf',
  message: 'evacuators are immutable once the Evacuation is there',
  holds: (self, oldSelf) => self.length === oldSelf.length && self.every((entry) => oldSelf.some(sameAs(entry))),
}

const sameAs = (a: Evacuator) => (b: Evacuator) =>
  a.evacuatorClass === b.evacuatorClass && a.priority === b.priority && a.role === b.role

export const evacuationSpecSchema = Type.Object(
  {
    podRef: podRefSchema,
    evacuators: Type.Optional(
      Type.Array(evacuatorSchema, {
        description:
          'Who can evacuate the pod. Filled in when the Evacuation is created, from the annotations of the pod and from the built-in evacuators that claim it; entries given by the creator are kept beside those. Without any the pod is evicted. Immutable afterwards.',
        maxItems: evacuatorLimits.evacuatorsMax,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['evacuatorClass'],
        ...rules<readonly Evacuator[]>(
          evacuatorListRules.oneController,
          evacuatorListRules.lastSlotIsTheControllers,
          evacuatorsStay,
        ),
      }),
    ),
    progressDeadlineSeconds: Type.Integer({
      ...integer({
        description:
          'How long an evacuator may go without reporting progress before the next one, or eviction, takes over: 600 (10 minutes) to 21600 (6 hours). Immutable.',
        minimum: evacuationLimits.progressDeadlineSecondsMin,
        maximum: evacuationLimits.progressDeadlineSecondsMax,
        default: evacuationLimits.progressDeadlineSecondsDefault,
      }),
      ...rules<number>({
        rule: 'self == oldSelf',
        message: 'progressDeadlineSeconds is immutable: evacuators rely on it',
        holds: (self, oldSelf) => self === oldSelf,
      }),
    }),
  },
  {
    description: 'Which pod should leave its node, and who can see to it. Immutable.',
    ...rules<{ evacuators?: readonly Evacuator[] }>({
      // Clients that leave out empty lists must be able to send back what they read.
      rule: 'has(self.evacuators) == has(oldSelf.evacuators) || (has(self.evacuators) ? self.evacuators.size() : oldSelf.evacuators.size()) == 0',
      message: 'evacuators are immutable once the Evacuation is there',
      fieldPath: '.evacuators',
      holds: (self, oldSelf) =>
        (self.evacuators === undefined) === (oldSelf.evacuators === undefined) ||
        (self.evacuators ?? oldSelf.evacuators ?? []).length === 0,
    }),
  },
)

export const evacuationStatusSchema = Type.Object(
  {
    activeEvacuatorClass: Type.Optional(
      dnsSubdomain(
        'The evacuator whose turn it is, one of spec.evacuators. It adopts the evacuation by reporting progress, or passes it on by completing. Empty while none has been selected, or if there is none.',
      ),
    ),
    activeEvacuatorCompleted: Type.Boolean({
      description:
        'Set by the active evacuator when it has done its part, or has nothing to do. The next one follows; after the last, the pod is evicted if it is still there.',
      default: false,
    }),
    evacuationProgressTimestamp: Type.Optional(
      timestamp('When the active evacuator last reported progress. A time in the future is read as now.'),
    ),
    expectedEvacuationFinishTime: Type.Optional(
      timestamp('When the active evacuator expects to be done. Empty if it cannot tell.'),
    ),
    evacuationCancellationPolicy: oneOf(['Allow', 'Forbid'], {
      description:
        'Forbid, set by an evacuator that cannot go back, refuses the deletion of the Evacuation by others than Lifeboat, which deletes it when the pod is gone. Not reset when the next evacuator is selected.',
      default: 'Allow',
    }),
    failedEvictionCounter: Type.Integer({
      ...count('How often the API server refused to evict the pod, for instance because of a disruption budget.'),
      ...rules<number>({
        rule: 'self >= oldSelf',
        message: 'failedEvictionCounter may only grow',
        holds: (self, oldSelf) => self >= oldSelf,
      }),
    }),
    message: text({
      description: 'How the evacuation is going, for people; may be empty.',
      maxLength: evacuationLimits.messageLengthMax,
      default: '',
    }),
    conditions: Type.Optional(conditionList('What else there is to know about the evacuation.')),
    blockedBy: Type.Optional(blockedByList),
  },
  { description: 'How far the evacuation is. Written by the active evacuator and by the controller.', default: {} },
)

export type EvacuationSpec = Described<typeof evacuationSpecSchema>
export type EvacuationStatus = Described<typeof evacuationStatusSchema>
export type EvacuationCancellationPolicy = EvacuationStatus['evacuationCancellationPolicy']

export interface Evacuation extends NamespacedObject {
  readonly spec: EvacuationSpec
  /** There on every object that was read: the API server fills in what is missing. */
  readonly status?: EvacuationStatus
}

/** A change as a merge patch has it: null takes a field away. */
export type EvacuationStatusChange = { readonly [Field in keyof EvacuationStatus]?: EvacuationStatus[Field] | null }

/** Types of the conditions that Lifeboat sets. */
export const evacuationConditions = {
  /** True while something keeps the pod where it is; the reason is typed. */
  blocked: 'Blocked',
  /** Its transition time is when the controller of the pod was asked to take it away. */
  controllerAsked: 'ControllerAsked',
} as const

export const newEvacuationStatus: Readonly<EvacuationStatus> = {
  activeEvacuatorCompleted: false,
  evacuationCancellationPolicy: 'Allow',
  failedEvictionCounter: 0,
  message: '',
}

const activeEvacuatorIsListed: Rule<Evacuation> = {
  rule: '!has(self.status) || !has(self.status.activeEvacuatorClass) || (has(self.spec.evacuators) && self.spec.evacuators.exists(e, e.evacuatorClass == self.status.activeEvacuatorClass))',
  message: 'activeEvacuatorClass must be one of spec.evacuators',
  fieldPath: '.status.activeEvacuatorClass',
  holds: ({ spec, status }) =>
    status?.activeEvacuatorClass === undefined ||
    (spec.evacuators ?? []).some(({ evacuatorClass }) => evacuatorClass === status.activeEvacuatorClass),
}

export const evacuationSchema = Type.Object(
  {
    apiVersion: Type.Optional(text({ description: 'Version of the schema of this object.', maxLength: 100 })),
    kind: Type.Optional(text({ description: 'Kind of this object: Evacuation.', maxLength: 100 })),
    metadata: Type.Unsafe<NamespacedMeta>(
      Type.Object({
        name: Type.Optional(Type.String({ maxLength: 253 })),
        generateName: Type.Optional(Type.String({ maxLength: 253 })),
      }),
    ),
    spec: evacuationSpecSchema,
    status: Type.Optional(evacuationStatusSchema),
  },
  {
    description:
      'An Evacuation is the wish that a pod leaves its node, and the record of how that goes. Its name is the UID of the pod, a dash, and up to 150 characters of the name of the pod, so there is one for each pod. Instigators keep it alive by their finalizers; evacuators take turns; if none of them gets the pod away, it is evicted.',
    ...rules<Evacuation>(...evacuationNameRules, activeEvacuatorIsListed),
  },
)

export const evacuations: Resource<Evacuation> = {
  group: evacuationGroup,
  version: 'v1alpha1',
  plural: 'evacuations',
  kind: 'Evacuation',
  namespaced: true,
}

export const evacuationType = { apiVersion: apiVersionOfEvacuation, kind: 'Evacuation' } as const
