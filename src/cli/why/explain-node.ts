import { looksAfterStaticPods } from '../../api/maintenance/agent-mailbox.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { instigators } from '../../api/names.ts'
import { silenceOf, type NodeSilence } from '../../api/maintenance/node-silence.ts'
import { maintenanceStatusOf, type MaintenanceStatus } from '../../api/maintenance/maintenance-status.ts'
import { isCompleted, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { matchesNodeSelector } from '../../api/kubernetes/node-selector.ts'
import { shellCommand } from '../../api/shell-command.ts'
import type { Stage } from '../../api/maintenance/stage.ts'
import type { NodeReport, NodeState, PodReport, WhyView } from './report.ts'

/** A node and its maintenances, as an explanation sees them. */
export interface NodeFacts {
  readonly name: string
  readonly state: NodeState
  /** Not over, oldest first. */
  readonly maintenances: readonly NodeMaintenance[]
  readonly draining: readonly NodeMaintenance[]
  /** Undefined: Lifeboat has not looked at the node yet, or its annotation cannot be read. */
  readonly status: MaintenanceStatus | undefined
  /** Undefined: it reports that it is ready. */
  readonly silence: NodeSilence | undefined
  /** An agent on it takes static pods away. */
  readonly staticPodsLeave: boolean
}

export function factsOf({ node, maintenances: all, mailbox }: WhyView): NodeFacts | undefined {
  if (node === undefined) return undefined
  const maintenances = all.filter((each) => isOfNode(each, node) && !isOver(each)).toSorted(byAge)
  const parsed = maintenanceStatusOf(node)
  const status = parsed.kind === 'parsed' ? parsed.status : undefined
  const draining = maintenances.filter((each) => stageOf(each) === 'Drain')
  const state = stateOf(maintenances, status)
  const staticPodsLeave = looksAfterStaticPods(mailbox)
  const silence = silenceOf(node)
  return { name: node.metadata.name, state, maintenances, draining, status, silence, staticPodsLeave }
}

function isOfNode({ spec }: NodeMaintenance, node: Node): boolean {
  return matchesNodeSelector(spec.nodeSelector, node)
}

function isOver(maintenance: NodeMaintenance): boolean {
  return maintenance.spec.stage === 'Complete' && isCompleted(maintenance)
}

/** Deleting a maintenance completes it. */
function stageOf({ metadata, spec }: NodeMaintenance): Stage {
  return metadata.deletionTimestamp === undefined ? spec.stage : 'Complete'
}

function stateOf(maintenances: readonly NodeMaintenance[], status: NodeFacts['status']): NodeState {
  const has = (stage: Stage) => maintenances.some((each) => stageOf(each) === stage)
  if (has('Drain')) {
    const isEmpty = status !== undefined && status.podsPendingEvacuation + status.podsEvacuating === 0
    return isEmpty && status.drainTargets.length > 0 ? 'Drained' : 'Draining'
  }
  if (has('Cordon')) return 'Cordoned'
  if (has('Complete') && status !== undefined) return 'Returning'
  return has('Idle') ? 'Announced' : 'Untouched'
}

function byAge(a: NodeMaintenance, b: NodeMaintenance): number {
  const left = `${a.metadata.creationTimestamp ?? ''} ${a.metadata.name}`
  const right = `${b.metadata.creationTimestamp ?? ''} ${b.metadata.name}`
  return left < right ? -1 : 1
}

/** `leaving`: pods that leave it although no maintenance drains it. */
export function explainNode(facts: NodeFacts, leaving: readonly PodReport[] = []): NodeReport {
  const { name, state, maintenances, silence } = facts
  return {
    name,
    state,
    maintenances: maintenances.map(summaryOf),
    ...(silence === undefined ? {} : { silence: { nodeReady: silence.nodeReady, since: silence.since } }),
    ...(leaving.length > 0 ? wordsForOthers(facts, leaving) : words[state](facts)),
  }
}

function summaryOf(maintenance: NodeMaintenance): NodeReport['maintenances'][number] {
  const summary = { name: nameOf(maintenance), stage: stageOf(maintenance) }
  const { reason } = maintenance.spec
  return reason === undefined ? summary : { ...summary, reason }
}

type Words = Pick<NodeReport, 'message' | 'next' | 'commands'>

/** Evictions that became Evacuations, say. */
function wordsForOthers({ name }: NodeFacts, leaving: readonly PodReport[]): Words {
  if (leaving.every(({ askedForBy }) => askedForBy?.every((one) => one === instigators.taintEviction))) {
    return wordsForUnready(name, leaving.filter(({ blockedBy }) => blockedBy?.kind === 'controllerTakeover').length)
  }
  return {
    message: `no maintenance drains ${name}; pods leave it because others asked for it`,
    next: 'only these pods leave; to drain all of it:',
    commands: present(shellCommand`lifeboat drain ${name}`),
  }
}

/** Kubernetes asks, by its taints. `asked`: pods whose controllers have time. */
function wordsForUnready(name: string, asked: number): Words {
  const controllers =
    asked === 1
      ? 'the controller of 1 pod is asked to take it away'
      : `the controllers of ${asked} pods are asked to take them away`
  return {
    message: `no maintenance drains ${name}; pods leave it because it is not ready${asked === 0 ? '' : `: ${controllers}`}`,
    next:
      asked === 0
        ? 'the pods end when the node is ready again'
        : 'Kubernetes deletes what is left when its time is up; if the node is ready again before that, it stays',
    commands: present(shellCommand`kubectl describe node ${name}`),
  }
}

const words: Readonly<Record<NodeState, (facts: NodeFacts) => Words>> = {
  Untouched: ({ name }) => ({
    message: `nothing drains ${name}`,
    next: 'nothing happens by itself; to drain it:',
    commands: present(shellCommand`lifeboat drain ${name}`),
  }),
  Announced: ({ name, maintenances }) => ({
    message: `${named(maintenances)} announces a maintenance of ${name} and has not begun`,
    next: 'nothing before its stage is Drain:',
    commands: present(shellCommand`lifeboat drain ${name}`),
  }),
  Cordoned: ({ name, maintenances }) => ({
    message: `${name} is cordoned by ${named(maintenances)}, and nothing drains it`,
    next: 'nothing before the stage is Drain:',
    commands: present(shellCommand`lifeboat drain ${name}`),
  }),
  Draining: ({ name, draining, status }) => ({
    message:
      status === undefined
        ? `${name} is to be drained by ${named(draining)}, and Lifeboat has not looked at it yet`
        : `${name} is being drained by ${named(draining)}${status.drainMessage === '' ? '' : `: ${status.drainMessage}`}`,
    next:
      status === undefined
        ? 'it begins within seconds, if Lifeboat is running'
        : 'it continues on its own, unless a pod is blocked',
    commands: present(shellCommand`lifeboat status ${name}`),
  }),
  Drained: ({ name, draining, status }) => ({
    message: `${name} is drained by ${named(draining)}: ${status?.drainMessage ?? ''}`,
    next: 'nothing more leaves; when the maintenance is over, give the node back:',
    commands: present(...draining.map((each) => shellCommand`lifeboat complete ${nameOf(each)}`)),
  }),
  Returning: ({ name, maintenances }) => ({
    message: `${name} is being given back by ${named(maintenances)}`,
    next: 'evacuations are taken back, then it is schedulable again',
    commands: present(shellCommand`lifeboat status ${name}`),
  }),
}

export function nameOf({ metadata }: NodeMaintenance): string {
  return metadata.name
}

function named(maintenances: readonly NodeMaintenance[]): string {
  return maintenances
    .map((each) => (each.spec.reason === undefined ? nameOf(each) : `${nameOf(each)} (${each.spec.reason})`))
    .join(', ')
}

export function present(...commands: readonly (string | undefined)[]): string[] {
  return commands.filter((command) => command !== undefined)
}
