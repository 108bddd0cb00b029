import Type from 'typebox'
import Value from 'typebox/value'
import { conditionIsTrue, conditionList } from '../schema/condition.ts'
import { drainPlanSchema } from './drain-plan.ts'
import type { KubernetesObject, ObjectMeta } from '../kubernetes/meta.ts'
import type { Resource } from '../kubernetes/resources.ts'
import {
  drainMessageLengthMax,
  drainTargetList,
  maintenanceStatusProperties,
  reasonLengthMax,
} from './maintenance-status.ts'
import { apiVersionOfNodeMaintenance, nodeMaintenanceGroup } from '../names.ts'
import { nodeSelectorSchema, type NodeSelector } from '../kubernetes/node-selector.ts'
import { rules, type Rule } from '../schema/rule.ts'
import { count, dnsSubdomain, oneOf, text, timestamp, type Described } from '../schema/schema.ts'
import { stageRule, stages, type Stage } from './stage.ts'

export const nodeMaintenanceLimits = { reasonLengthMax, nodeStatusesMax: 100 } as const

/** True once all pods that a drain targets are gone from all selected nodes. */
export const drainedCondition = 'Drained'

/** True once everything of the stage Complete is done. */
export const completedCondition = 'Completed'

interface RuledSpec {
  nodeSelector: NodeSelector
  stage: Stage
  drainPlan?: readonly unknown[]
}

const specRules: readonly Rule<RuledSpec>[] = [
  {
    rule: "oldSelf.stage == 'Idle' || self.nodeSelector == oldSelf.nodeSelector",
    message: 'nodeSelector is immutable once the stage has left Idle',
    fieldPath: '.nodeSelector',
    reason: 'FieldValueForbidden',
    holds: (self, oldSelf) => oldSelf.stage === 'Idle' || Value.Equal(self.nodeSelector, oldSelf.nodeSelector),
  },
  {
    rule: '!has(oldSelf.drainPlan) || oldSelf.drainPlan.size() == 0 || has(self.drainPlan)',
    message: 'drainPlan is immutable once set',
    fieldPath: '.drainPlan',
    reason: 'FieldValueForbidden',
    holds: (self, oldSelf) => (oldSelf.drainPlan ?? []).length === 0 || self.drainPlan !== undefined,
  },
]

export const nodeMaintenanceSpecSchema = Type.Object(
  {
    nodeSelector: nodeSelectorSchema(
      'Selects the nodes under maintenance. May be changed while the stage is Idle and not afterwards, so that no node is left half drained.',
    ),
    stage: Type.Unsafe<Stage>({
      ...oneOf(stages, {
        description:
          'Idle leaves the cluster alone. Cordon makes the selected nodes unschedulable. Drain does too, and has their pods evacuated by the drain plan. Complete takes the evacuations back and makes the nodes schedulable again, unless another maintenance holds them. A stage may be skipped, but there is no way back. Deleting an object beyond Idle completes it first.',
        default: 'Idle',
      }),
      ...rules(stageRule),
    }),
    drainPlan: Type.Optional(drainPlanSchema),
    reason: Type.Optional(
      text({
        description: 'Why the nodes are under maintenance, for people; it shows up in messages.',
        maxLength: nodeMaintenanceLimits.reasonLengthMax,
      }),
    ),
  },
  { description: 'Which nodes are under maintenance, and how far it should go.', ...rules(...specRules) },
)

const stageStatusSchema = Type.Object(
  {
    name: oneOf(stages, { description: 'Name of the stage.' }),
    startTimestamp: Type.Optional(timestamp('When the stage was started.')),
  },
  { description: 'A stage that was started.' },
)

const drainStatusSchema = Type.Object(
  {
    reachedDrainTargets: Type.Optional(
      drainTargetList(
        'Which pods are to leave all of the selected nodes: the least that holds for each of them. Some nodes may be further.',
      ),
    ),
    drainMessage: text({
      description: 'How the drain is going, and which other maintenances hold it up.',
      maxLength: drainMessageLengthMax,
      default: '',
    }),
    nodesTotal: count('Nodes that the maintenance selects.'),
    nodesDrained: count('Nodes of those that are drained.'),
    podsPendingEvacuation: count('Pods on the selected nodes whose evacuation has not started.'),
    podsEvacuating: count('Pods on the selected nodes that have an Evacuation.'),
  },
  { description: 'How far the drain is, over all selected nodes.', default: {} },
)

const nodeStatusSchema = Type.Object(
  {
    nodeRef: Type.Object(
      { name: dnsSubdomain('Name of the node.') },
      { description: 'The node.', 'x-kubernetes-map-type': 'atomic' },
    ),
    ...maintenanceStatusProperties,
  },
  { description: 'How far the drain of one node is.' },
)

export const nodeMaintenanceStatusSchema = Type.Object(
  {
    stageStatuses: Type.Optional(
      Type.Array(stageStatusSchema, {
        description: 'The stages that were started.',
        maxItems: stages.length,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      }),
    ),
    drainStatus: drainStatusSchema,
    nodeStatuses: Type.Optional(
      Type.Array(nodeStatusSchema, {
        description:
          'At most 100 of the selected nodes, those with the most left to do; each node has its own in an annotation.',
        maxItems: nodeMaintenanceLimits.nodeStatusesMax,
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    conditions: Type.Optional(
      conditionList(
        'Drained is True once all targeted pods are gone from all selected nodes, Completed once the nodes are given back.',
      ),
    ),
  },
  { description: 'How far the maintenance is. Written by the controller.', default: {} },
)

export type NodeMaintenanceSpec = Described<typeof nodeMaintenanceSpecSchema>
export type NodeMaintenanceStatus = Described<typeof nodeMaintenanceStatusSchema>
export type DrainStatus = NodeMaintenanceStatus['drainStatus']
export type NodeStatus = Described<typeof nodeStatusSchema>

export interface NodeMaintenance extends KubernetesObject {
  readonly spec: NodeMaintenanceSpec
  /** There on every object that was read: the API server fills in what is missing. */
  readonly status?: NodeMaintenanceStatus
}

export const newNodeMaintenanceStatus: Readonly<NodeMaintenanceStatus> = {
  drainStatus: { drainMessage: '', nodesTotal: 0, nodesDrained: 0, podsPendingEvacuation: 0, podsEvacuating: 0 },
}

export function isDrained({ status }: NodeMaintenance): boolean {
  return conditionIsTrue(status?.conditions, drainedCondition)
}

export function isCompleted({ status }: NodeMaintenance): boolean {
  return conditionIsTrue(status?.conditions, completedCondition)
}

export const nodeMaintenanceSchema = Type.Object(
  {
    apiVersion: Type.Optional(text({ description: 'Version of the schema of this object.', maxLength: 100 })),
    kind: Type.Optional(text({ description: 'Kind of this object: NodeMaintenance.', maxLength: 100 })),
    metadata: Type.Unsafe<ObjectMeta>(Type.Object({})),
    spec: nodeMaintenanceSpecSchema,
    status: Type.Optional(nodeMaintenanceStatusSchema),
  },
  {
    description:
      'A NodeMaintenance announces that nodes will be taken out of service, cordons and drains them gracefully when told to, and puts them back in the end.',
  },
)

export const nodeMaintenances: Resource<NodeMaintenance> = {
  group: nodeMaintenanceGroup,
  version: 'v1alpha1',
  plural: 'nodemaintenances',
  kind: 'NodeMaintenance',
  namespaced: false,
}

export const nodeMaintenanceType = { apiVersion: apiVersionOfNodeMaintenance, kind: 'NodeMaintenance' } as const
