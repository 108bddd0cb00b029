import { filterNode, type PodView, type Refusal } from './filter-node.ts'
import type { Ledger, NodeAccount } from './ledger.ts'
import { namedNodes } from './node-match.ts'
import { bestNode } from './score-node.ts'

export type Choice =
  | { readonly kind: 'node'; readonly nodeName: string; readonly checked: number }
  | { readonly kind: 'none'; readonly message: string }

/** In a large cluster the best of this many nodes that fit is good enough, as it is for the real scheduler. */
const fittingMax = 50

const elsewhere: Refusal = {
  reasons: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"],
  helpedByPreemption: false,
}

/** Begins at a node that moves on with every pod, so that the nodes take turns when not all are looked at. */
export function chooseNode(view: PodView, ledger: Ledger, startAt: number): Choice {
  const { accounts } = ledger
  if (accounts.length === 0) return { kind: 'none', message: 'no nodes available to schedule pods' }
  const named = namedNodes(view.pod)
  const candidates = named === undefined ? accounts : accountsOf(ledger, named)
  const refusals: Refusal[] = []
  const fitting: NodeAccount[] = []
  let checked = 0
  for (; checked < candidates.length && fitting.length < fittingMax; checked++) {
    const account = candidates[(startAt + checked) % candidates.length]
    if (account === undefined) break
    const refusal = filterNode(view, account)
    if (refusal === undefined) fitting.push(account)
    else refusals.push(refusal)
  }
  const best = bestNode(view, fitting, ledger)
  if (best !== undefined) return { kind: 'node', nodeName: best.name, checked }
  const absent = Array.from({ length: accounts.length - candidates.length }, () => elsewhere)
  return { kind: 'none', message: renderRefusals([...refusals, ...absent]) }
}

function accountsOf(ledger: Ledger, names: ReadonlySet<string>): NodeAccount[] {
  return [...names].map((name) => ledger.account(name)).filter((account) => account !== undefined)
}

/** As the real scheduler words it; there is no preemption here, but the sentence about it is what people know. */
export function renderRefusals(refusals: readonly Refusal[]): string {
  const first = `0/${refusals.length} nodes are available:`
  const preemption = refusals.map(({ helpedByPreemption }) =>
    helpedByPreemption ? 'No preemption victims found for incoming pod' : 'Preemption is not helpful for scheduling',
  )
  const reasons = refusals.flatMap((refusal) => refusal.reasons)
  return `${first} ${histogram(reasons)}. preemption: ${first} ${histogram(preemption)}.`
}

/** Sorted as text, counts included: that is what the real one does. */
function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const texts = Array.from(counts, ([reason, count]) => `${count} ${reason}`)
  return texts.toSorted((one, other) => (one < other ? -1 : 1)).join(', ')
}
