import type { Taint, Toleration } from './scheduling.ts'

type Taints = readonly Taint[] | undefined
type Tolerations = readonly Toleration[] | undefined

export const taintKeys = {
  notReady: 'node.kubernetes.io/not-ready',
  unreachable: 'node.kubernetes.io/unreachable',
  unschedulable: 'node.kubernetes.io/unschedulable',
} as const

/** As Kubernetes does it: an empty key with Exists tolerates everything, an empty effect every effect. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = '', operator = 'Equal', value = '', effect = '' } = toleration
  if (effect !== '' && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  if (operator === 'Exists') return true
  if (operator === 'Lt' || operator === 'Gt') return compares(operator, taint.value ?? '', value)
  return key !== '' && value === (taint.value ?? '')
}

/** KEP-5471: the taint's number is below, or above, that of the toleration. */
function compares(operator: 'Lt' | 'Gt', taint: string, toleration: string): boolean {
  if (!isInteger(taint) || !isInteger(toleration)) return false
  return operator === 'Lt' ? BigInt(taint) < BigInt(toleration) : BigInt(taint) > BigInt(toleration)
}

const isInteger = (text: string) => /^(0|-?[1-9][0-9]{0,18})$/.test(text)

/** The first taint with one of the effects that nothing tolerates. */
export function findUntolerated(
  taints: Taints,
  tolerations: Tolerations,
  effects: readonly string[],
): Taint | undefined {
  return taints?.find(
    (taint) =>
      effects.includes(taint.effect) && !(tolerations ?? []).some((toleration) => tolerates(toleration, taint)),
  )
}

/** A cordoned node keeps away those that do not tolerate the taint that cordoning amounts to. */
export function toleratesCordon(tolerations: Tolerations): boolean {
  const taint = { key: taintKeys.unschedulable, effect: 'NoSchedule' }
  return (tolerations ?? []).some((toleration) => tolerates(toleration, taint))
}
