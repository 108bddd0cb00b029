import { renderFieldProblem, type FieldProblem } from '../../api/schema/field-problem.ts'

/** What is wrong with one field of a policy. */
export interface PolicyProblem extends FieldProblem {
  /** Name of the profile, or its place in the list if it has none. Undefined: outside of profiles. */
  readonly profile: string | undefined
  /** Undefined: it is not about the args of a plugin. */
  readonly plugin: string | undefined
}

/** One line: where it is, what was found, what is allowed. */
export function renderPolicyProblem(problem: PolicyProblem): string {
  return `${renderPlace(problem)}${renderFieldProblem(problem)}`
}

export type Place = Pick<PolicyProblem, 'profile' | 'plugin'>

export function renderPlace({ profile, plugin }: Place): string {
  if (profile === undefined) return ''
  return plugin === undefined ? `profile ${profile}: ` : `profile ${profile}, plugin ${plugin}: `
}

/** Takes what is found while one part of a policy is read. */
export interface Report {
  problem(problem: FieldProblem): void
  warning(text: string): void
}

/** All that is found in a policy, so that it can be reported at once. */
export class Findings {
  readonly problems: PolicyProblem[] = []
  readonly warnings: string[] = []

  at(place: Place): Report {
    return {
      problem: (problem) => this.problems.push({ ...place, ...problem }),
      warning: (text) => this.warnings.push(`${renderPlace(place)}${text}`),
    }
  }
}

/** A policy that is well-formed, and cannot be followed on this cluster or in this mode. One line a problem. */
export class UnfollowablePolicyError extends Error {
  override readonly name = 'UnfollowablePolicyError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}
