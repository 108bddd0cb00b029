import { annotations, evacuationGroup, nodeMaintenanceGroup, schedulingGates } from '../../api/names.ts'
import { celText, type Policy } from './policy.ts'

/** What Lifeboat's own account may change of objects that are not its own: CEL for each resource, and its words. */
export interface UpdateLimit {
  readonly resource: string
  readonly expression: string
  readonly may: string
}

/** The API server itself refuses changes of the other fields of a pod's spec. */
const podFields = [
  'containers',
  'initContainers',
  'activeDeadlineSeconds',
  'tolerations',
  'nodeSelector',
  'affinity',
  'terminationGracePeriodSeconds',
]
const nodeFields = ['taints', 'providerID', 'podCIDR', 'podCIDRs', 'externalID', 'configSource']
const autoscalerFields = ['scaleTargetRef', 'maxReplicas', 'metrics', 'behavior']

/** Annotations on pods that have a meaning for others, and that Lifeboat writes. */
const podAnnotations: readonly string[] = [
  annotations.podEvictWanted,
  annotations.evictionInProgress,
  annotations.podDeletionCost,
]
const hashLabel = celText('pod-template-hash')
const releasedFrom = celText(annotations.releasedFrom)

/** Only asked for where there are objects to compare, so that a creation or deletion does not fail in them. */
export const updateVariables: NonNullable<Policy['spec']['variables']> = [
  ...(['labels', 'annotations'] as const).flatMap((field) => [
    { name: `${field}Now`, expression: mapOf('variables.now', field) },
    { name: `${field}Before`, expression: mapOf('variables.before', field) },
  ]),
  { name: 'ownersNow', expression: ownersOf('variables.now') },
  { name: 'ownersBefore', expression: ownersOf('variables.before') },
]

export const updateLimits: readonly UpdateLimit[] = [
  {
    resource: 'pods',
    expression: [
      ...podFields.map((field) => isSame(`spec.${field}`)),
      `${otherGatesOf('variables.now')} == ${otherGatesOf('variables.before')}`,
      isSame('metadata.finalizers'),
      onlyOurs('labels', [hashLabel]),
      hashComesAndGoesByRelease(),
      onlyOurs('annotations', podAnnotations.map(celText)),
      ownersComeAndGoByRelease(),
    ].join(' && '),
    may: 'change only its own labels and annotations of a pod and lift its own scheduling gate, and release and return pods of a Deployment',
  },
  {
    resource: 'nodes',
    expression: [
      ...nodeFields.map((field) => isSame(`spec.${field}`)),
      isSame('metadata.finalizers'),
      isSame('metadata.ownerReferences'),
      onlyOurs('labels'),
      onlyOurs('annotations'),
    ].join(' && '),
    may: 'change only spec.unschedulable and its own labels and annotations of a node',
  },
  {
    resource: 'horizontalpodautoscalers',
    expression: [
      ...autoscalerFields.map((field) => isSame(`spec.${field}`)),
      isSame('metadata.finalizers'),
      isSame('metadata.ownerReferences'),
      onlyOurs('labels'),
      onlyOurs('annotations'),
    ].join(' && '),
    may: 'change only spec.minReplicas and its own labels and annotations of a HorizontalPodAutoscaler',
  },
]

/** The field is the same before and after, or absent in both. */
export function isSame(field: string): string {
  const [now, before] = [`variables.now.${field}`, `variables.before.${field}`]
  return `has(${now}) == has(${before}) && (!has(${now}) || ${now} == ${before})`
}

function mapOf(object: string, field: string): string {
  return `has(${object}.metadata.${field}) ? ${object}.metadata.${field} : {}`
}

function ownersOf(object: string): string {
  return `has(${object}.metadata.ownerReferences) ? ${object}.metadata.ownerReferences : []`
}

function onlyOurs(field: 'labels' | 'annotations', others: readonly string[] = []): string {
  const [now, before] = [`variables.${field}Now`, `variables.${field}Before`]
  const isOurs = [evacuationGroup, nodeMaintenanceGroup].map((group) => `key.startsWith(${celText(`${group}/`)})`)
  const mayChange = [...isOurs, ...(others.length === 0 ? [] : [`key in [${others.join(', ')}]`])].join(' || ')
  return [
    `${now}.all(key, ${mayChange} || (key in ${before} && ${before}[key] == ${now}[key]))`,
    `${before}.all(key, ${mayChange} || key in ${now})`,
  ].join(' && ')
}

/** A released pod says where it came from, and gets back what it says. */
function hashComesAndGoesByRelease(): string {
  const [now, before] = ['variables.labelsNow', 'variables.labelsBefore']
  const isUnchanged = `(${hashLabel} in ${before} ? ${before}[${hashLabel}] : '') == (${hashLabel} in ${now} ? ${now}[${hashLabel}] : '')`
  const isRelease = `!(${hashLabel} in ${now}) && ${releasedFrom} in variables.annotationsNow`
  const isReturn = `!(${hashLabel} in ${before}) && ${releasedFrom} in variables.annotationsBefore && variables.annotationsBefore[${releasedFrom}].contains('"' + ${now}[${hashLabel}] + '"')`
  return `(${isUnchanged} || (${isRelease}) || (${isReturn}))`
}

/** The ReplicaSet of a released pod stays its owner, and is no longer its controller. */
function ownersComeAndGoByRelease(): string {
  const [now, before] = ['variables.ownersNow', 'variables.ownersBefore']
  const isReleased = `(${releasedFrom} in variables.annotationsNow || ${releasedFrom} in variables.annotationsBefore)`
  const controls = (owner: string) => `has(${owner}.controller) && ${owner}.controller`
  const mayStand = `${before}.exists(was, was.uid == owner.uid && (!(${controls('owner')}) || ${controls('was')}))`
  const isTied = `owner.kind == 'ReplicaSet' && owner.apiVersion == 'apps/v1' && !(${controls('owner')})`
  const mayGo = `${now}.exists(owner, owner.uid == was.uid) || was.kind == 'Evacuation'`
  return `(${now} == ${before} || (${isReleased} && ${now}.all(owner, ${mayStand} || (${isTied})) && ${before}.all(was, ${mayGo})))`
}

function otherGatesOf(object: string): string {
  return `(has(${object}.spec.schedulingGates) ? ${object}.spec.schedulingGates.filter(gate, gate.name != ${celText(schedulingGates.maintenance)}) : [])`
}
