import type { TSchema } from 'typebox'
import { evacuations, evacuationSchema } from '../evacuation/evacuation.ts'
import type { KubernetesObject, New } from '../kubernetes/meta.ts'
import type { Resource } from '../kubernetes/resources.ts'
import { annotations } from '../names.ts'
import { nodeMaintenances, nodeMaintenanceSchema } from '../maintenance/node-maintenance.ts'
import { structuralSchema, type StructuralSchema } from './structural-schema.ts'

interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'date'
  readonly jsonPath: string
  readonly description: string
  /** Above 0: only shown by `-o wide`. */
  readonly priority?: number
}

interface Definition {
  readonly resource: Resource<KubernetesObject>
  readonly singular: string
  readonly shortName: string
  readonly schema: TSchema
  readonly columns: readonly Column[]
  readonly selectableFields: readonly string[]
}

const age: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since the object was created.',
}

const definitions: readonly Definition[] = [
  {
    resource: evacuations,
    singular: 'evacuation',
    shortName: 'evac',
    schema: evacuationSchema,
    columns: [
      { name: 'Pod', type: 'string', jsonPath: '.spec.podRef.name', description: 'The pod that should leave.' },
      {
        name: 'Active Evacuator',
        type: 'string',
        jsonPath: '.status.activeEvacuatorClass',
        description: 'The evacuator whose turn it is.',
      },
      {
        name: 'Progress',
        type: 'date',
        jsonPath: '.status.evacuationProgressTimestamp',
        description: 'Time since the last report of progress.',
      },
      {
        name: 'Failed Evictions',
        type: 'integer',
        jsonPath: '.status.failedEvictionCounter',
        description: 'How often the API server refused to evict the pod.',
      },
      age,
      {
        name: 'Message',
        type: 'string',
        jsonPath: '.status.message',
        description: 'How the evacuation is going.',
        priority: 1,
      },
    ],
    // Lets an evacuator watch only what is its turn, and an instigator look a pod up without listing all.
    selectableFields: ['.spec.podRef.name', '.spec.podRef.uid', '.status.activeEvacuatorClass'],
  },
  {
    resource: nodeMaintenances,
    singular: 'nodemaintenance',
    shortName: 'nm',
    schema: nodeMaintenanceSchema,
    columns: [
      { name: 'Stage', type: 'string', jsonPath: '.spec.stage', description: 'How far the maintenance should go.' },
      {
        name: 'Nodes',
        type: 'integer',
        jsonPath: '.status.drainStatus.nodesTotal',
        description: 'Nodes that the maintenance selects.',
      },
      {
        name: 'Drained',
        type: 'integer',
        jsonPath: '.status.drainStatus.nodesDrained',
        description: 'Nodes of those that are drained.',
      },
      {
        name: 'Pending',
        type: 'integer',
        jsonPath: '.status.drainStatus.podsPendingEvacuation',
        description: 'Pods whose evacuation has not started.',
      },
      {
        name: 'Evacuating',
        type: 'integer',
        jsonPath: '.status.drainStatus.podsEvacuating',
        description: 'Pods that have an Evacuation.',
      },
      age,
      {
        name: 'Message',
        type: 'string',
        jsonPath: '.status.drainStatus.drainMessage',
        description: 'How the drain is going.',
        priority: 1,
      },
      {
        name: 'Reason',
        type: 'string',
        jsonPath: '.spec.reason',
        description: 'Why there is a maintenance.',
        priority: 1,
      },
    ],
    selectableFields: ['.spec.stage'],
  },
]

export interface CustomResourceDefinition extends KubernetesObject {
  readonly spec: {
    readonly group: string
    readonly scope: 'Namespaced' | 'Cluster'
    readonly names: {
      readonly kind: string
      readonly listKind: string
      readonly plural: string
      readonly singular: string
      readonly shortNames: readonly string[]
    }
    readonly versions: readonly CustomResourceVersion[]
  }
}

interface CustomResourceVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly subresources: { readonly status: object }
  readonly additionalPrinterColumns: readonly Column[]
  readonly selectableFields: readonly { readonly jsonPath: string }[]
  readonly schema: { readonly openAPIV3Schema: StructuralSchema }
}

/** The CRDs that Lifeboat installs, with all that the API server can check by itself. */
export function customResourceDefinitions(): New<CustomResourceDefinition>[] {
  return definitions.map(buildDefinition)
}

function buildDefinition(definition: Definition): New<CustomResourceDefinition> {
  const { group, version, plural, kind, namespaced } = definition.resource
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      annotations: { [annotations.apiApproved]: 'unapproved, experimental-only' },
    },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: definition.singular,
        shortNames: [definition.shortName],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: definition.columns,
          selectableFields: definition.selectableFields.map((jsonPath) => ({ jsonPath })),
          schema: { openAPIV3Schema: structuralSchema(definition.schema) },
        },
      ],
    },
  }
}
