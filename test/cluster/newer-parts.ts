import { releaseIn } from './recipes.ts'

/**
 * What Kubernetes got after the oldest version that Lifeboat is for, as far as a test is about it. Such a test is left
 * out on a Kubernetes without that part, and shows there instead what Lifeboat does without it, where it does anything.
 * This is the whole list: no other test may look at a version.
 */
export const newerParts = {
  mutatingPolicies: { minor: 36, what: 'MutatingAdmissionPolicy is served as v1, and its plugin is on' },
  valuesInRefusals: {
    minor: 35,
    what: 'an object that breaks a rule in CEL is refused with the value at fault, where older ones name its type; a number that is too large for its format is refused for that too',
  },
  wordsOfConfigurations: {
    minor: 37,
    what: 'policies and webhook configurations are refused in the words that are written down; older ones say the same in others',
  },
} as const satisfies Record<string, NewerPart>

export interface NewerPart {
  /** Of the first version that has it: 36 is Kubernetes 1.36. */
  readonly minor: number
  readonly what: string
}

export type NewerPartName = keyof typeof newerParts

/** Whether the real Kubernetes of this run has it. */
export function hasPart(name: NewerPartName, environment: NodeJS.ProcessEnv = process.env): boolean {
  const [, minor] = /^v1\.(\d+)\./.exec(releaseIn(environment).version) ?? []
  return Number(minor) >= newerParts[name].minor
}
