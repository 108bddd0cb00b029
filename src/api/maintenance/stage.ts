import type { Rule } from '../schema/rule.ts'

export const stages = ['Idle', 'Cordon', 'Drain', 'Complete'] as const
export type Stage = (typeof stages)[number]

/** Where a stage may go from here. Staying is always allowed, going back never. */
export const stageTransitions: Readonly<Record<Stage, readonly Stage[]>> = {
  Idle: ['Cordon', 'Drain', 'Complete'],
  Cordon: ['Drain', 'Complete'],
  Drain: ['Complete'],
  Complete: [],
}

export function mayFollow(from: Stage, to: Stage): boolean {
  return from === to || stageTransitions[from].includes(to)
}

/** Stages in which the selected nodes are under maintenance. */
export function isActiveStage(stage: Stage): boolean {
  return stage === 'Cordon' || stage === 'Drain'
}

const allowedSteps = stages
  .filter((from) => stageTransitions[from].length > 0)
  .map((from) => `(oldSelf == '${from}' && self in [${stageTransitions[from].map((to) => `'${to}'`).join(', ')}])`)

export const stageRule: Rule<Stage> = {
  rule: `self == oldSelf || ${allowedSteps.join(' || ')}`,
  message: `stage only moves forward: ${stages.join(', ')}`,
  messageExpression: `'stage cannot go from ' + oldSelf + ' to ' + self + ': it only moves forward (${stages.join(', ')})'`,
  holds: (self, oldSelf) => mayFollow(oldSelf, self),
}
