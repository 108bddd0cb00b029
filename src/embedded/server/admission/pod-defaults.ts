import { forbidden } from '../failure.ts'
import type { Store } from '../store.ts'
import type { AdmissionRequest } from './admission.ts'
import type { AdmissionPlugin } from './chain.ts'

interface PodSpec {
  readonly priorityClassName?: string
  readonly priority?: number
  readonly tolerations?: readonly Toleration[]
}

interface Toleration {
  readonly key?: string
  readonly effect?: string
  readonly operator?: string
}

const tolerationSeconds = 300
/** A node that is not ready, or out of reach, keeps its pods for five minutes. */
const toleratedTaints = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']

const systemPriorities: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
}

function concerns({ definition, operation, subresource }: AdmissionRequest): boolean {
  return operation === 'CREATE' && definition.group === '' && definition.plural === 'pods' && subresource === undefined
}

export const defaultTolerations: AdmissionPlugin = {
  mutate: (request) => {
    if (!concerns(request) || request.object === undefined) return request.object
    const spec = (request.object['spec'] ?? {}) as PodSpec
    const tolerations = spec.tolerations ?? []
    const missing = toleratedTaints.filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)))
    const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds }))
    return { ...request.object, spec: { ...spec, tolerations: [...tolerations, ...added] } }
  },
}

function tolerates({ key, effect, operator }: Toleration, taint: string): boolean {
  const matchesEffect = effect === undefined || effect === '' || effect === 'NoExecute'
  return matchesEffect && (key === taint || ((key === undefined || key === '') && operator === 'Exists'))
}

/** Turns the name of a priority class into its number; without a name the cluster's default decides. */
export function priorities(store: Pick<Store, 'get' | 'values'>): AdmissionPlugin {
  return {
    mutate: (request) => {
      if (!concerns(request) || request.object === undefined) return request.object
      const spec = (request.object['spec'] ?? {}) as PodSpec
      const found = priorityOf(store, spec.priorityClassName, request)
      return { ...request.object, spec: { ...spec, ...found } }
    },
  }
}

interface PriorityClass {
  readonly metadata: { readonly name: string }
  readonly value?: number
  readonly globalDefault?: boolean
  readonly preemptionPolicy?: string
}

function priorityOf(store: Pick<Store, 'get' | 'values'>, name: string | undefined, request: AdmissionRequest): object {
  const preemptionPolicy = 'PreemptLowerPriority'
  if (name === undefined || name === '') {
    const classes = [...store.values('priorityclasses.scheduling.k8s.io')] as PriorityClass[]
    const standard = classes.find(({ globalDefault }) => globalDefault === true)
    if (standard === undefined) return { priority: 0, preemptionPolicy }
    return {
      priorityClassName: standard.metadata.name,
      priority: standard.value ?? 0,
      preemptionPolicy: standard.preemptionPolicy ?? preemptionPolicy,
    }
  }
  const named = store.get('priorityclasses.scheduling.k8s.io', name) as PriorityClass | undefined
  const value = named?.value ?? systemPriorities[name]
  if (value === undefined) {
    throw forbidden(request.definition, request.name, `no PriorityClass with name ${name} was found`)
  }
  return { priority: value, preemptionPolicy: named?.preemptionPolicy ?? preemptionPolicy }
}
