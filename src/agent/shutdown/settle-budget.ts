import type { Clock } from '../../runtime/clock.ts'
import { lookUntil } from '../../runtime/look-until.ts'
import type { BudgetFile } from './budget-file.ts'
import type { Logind } from './busctl.ts'

export interface BudgetView {
  /** The drop-in as it is; undefined: there is none. */
  readonly written: string | undefined
  /** What logind grants now. */
  readonly budgetMs: number
  /** 0: whatever logind grants is enough. */
  readonly wantedMs: number
}

/** reload: what is written is right, and logind has not read it. */
export type BudgetDecision =
  | { readonly kind: 'write'; readonly text: string }
  | { readonly kind: 'reload' }
  | { readonly kind: 'remove' }
  | { readonly kind: 'leave' }

export function decideBudget({ written, budgetMs, wantedMs }: BudgetView): BudgetDecision {
  if (wantedMs === 0) return written === undefined ? { kind: 'leave' } : { kind: 'remove' }
  const text = renderBudget(wantedMs)
  const isGranted = budgetMs >= wantedMs
  // An admin who grants more than was asked for has a reason.
  if (written === undefined) return isGranted ? { kind: 'leave' } : { kind: 'write', text }
  if (written !== text) return { kind: 'write', text }
  return isGranted ? { kind: 'leave' } : { kind: 'reload' }
}

export function renderBudget(wantedMs: number): string {
  return `# Written by the node agent of Lifeboat.\n[Login]\nInhibitDelayMaxSec=${Math.ceil(wantedMs / 1_000)}\n`
}

export interface BudgetParts {
  readonly file: BudgetFile
  readonly logind: Logind
  readonly clock: Clock
}

const patience = { withinMs: 5_000, everyMs: 100 }

/** Has logind wait as long as is wanted, where it can be had; what it grants in the end is for the next read. */
export async function settleBudget(
  { file, logind, clock }: BudgetParts,
  { budgetMs, wantedMs }: Omit<BudgetView, 'written'>,
  signal: AbortSignal,
): Promise<void> {
  const decision = decideBudget({ written: await file.read(), budgetMs, wantedMs })
  if (decision.kind === 'leave') return
  if (decision.kind === 'write') await file.write(decision.text)
  if (decision.kind === 'remove') await file.remove()
  await logind.reload(signal)
  // logind reads its files some moments after it was asked to, and says nothing when it has.
  await lookUntil({ clock, ...patience, signal }, async () => {
    const { budgetMs: grantedMs } = await logind.read(signal)
    return grantedMs !== budgetMs && grantedMs >= wantedMs ? true : undefined
  })
}

/** As if there had never been an agent. */
export async function giveBudgetBack({ file, logind }: BudgetParts, signal: AbortSignal): Promise<void> {
  if ((await file.read()) === undefined) return
  await file.remove()
  await logind.reload(signal)
}
