import type { Mode } from '../../src/descheduler/mode.ts'
import type { HookHandler } from './webhook-server.ts'
import {
  arrangePod,
  becomes,
  isOver,
  priorityOf,
  report,
  type EvacuationWorld,
  type PodChoices,
  type PodKey,
} from './lifeboat-world.ts'
import type { StoryNeeds } from './scenario.ts'

// What stories about the descheduler share.

export interface DeschedulingWorld extends EvacuationWorld {
  /** A new process of the descheduler; the one before it, if any, is gone without a word. */
  startDescheduler(policy: object, choices?: DeschedulerChoices): Promise<StoryDescheduler>
  /** A webhook that is asked about every eviction in the namespace of this story, from now on to its end. */
  interceptEvictions(handler: HookHandler): Promise<void>
}

export interface DeschedulerChoices {
  readonly mode?: Mode
  readonly requestTtlMs?: number
}

export interface StoryDescheduler {
  cycle(): Promise<CycleSeen>
  /** Waits until its watch shows the pod with such a mark of an eviction in progress, or without. */
  sees(pod: string, mark: 'marked' | 'unmarked'): Promise<void>
}

/** Names of pods, by what became of them. */
export interface CycleSeen {
  /** In the order in which they were asked. */
  readonly asked: readonly string[]
  readonly leaving: readonly string[]
  readonly cut: readonly string[]
  readonly refused: readonly string[]
  /** Why each was protected. */
  readonly spared: Readonly<Record<string, string>>
}

export interface DeschedulingScenario extends StoryNeeds {
  readonly name: string
  readonly run: (world: DeschedulingWorld) => Promise<void>
}

export const machines = 'machines.example.com'
/** Passes over whatever DefaultEvictor would protect. */
export const evictable = { 'descheduler.alpha.kubernetes.io/evict': '' }
export const evictionInProgress = 'descheduler.alpha.kubernetes.io/eviction-in-progress'
export const onlyEvictions = { 'descheduler.alpha.kubernetes.io/request-evict-only': '' }

export interface PlacedPod extends PodChoices {
  readonly node?: number
}

/** A pod that leaves when its evacuator says so. */
export async function arrangeProtectable(
  world: DeschedulingWorld,
  name: string,
  choices: PlacedPod = {},
): Promise<PodKey> {
  const { node = 0, annotations = {}, spec = {} } = choices
  return arrangePod(world, name, {
    ...choices,
    annotations: { [priorityOf(machines)]: '11000', ...annotations },
    spec: { nodeName: `${world.namespace}-${node}`, ...spec },
  })
}

/** The same, and the policy may send it away. */
export async function arrangeMachine(world: DeschedulingWorld, name: string, choices: PlacedPod = {}): Promise<PodKey> {
  return arrangeProtectable(world, name, { ...choices, annotations: { ...evictable, ...choices.annotations } })
}

export interface Plugins {
  readonly deschedule?: Readonly<Record<string, object>>
  readonly balance?: Readonly<Record<string, object>>
  /** Args of DefaultEvictor. */
  readonly evictor?: object
}

/** Looks at the nodes of the story alone. */
export function policyWith(world: DeschedulingWorld, profiles: Readonly<Record<string, Plugins>>, top: object = {}) {
  return {
    apiVersion: 'descheduler/v1alpha2',
    kind: 'DeschedulerPolicy',
    nodeSelector: `scenario=${world.namespace}`,
    ...top,
    profiles: Object.entries(profiles).map(([name, { deschedule = {}, balance = {}, evictor = {} }]) => ({
      name,
      pluginConfig: Object.entries({ DefaultEvictor: evictor, ...deschedule, ...balance }).map(([plugin, args]) => ({
        name: plugin,
        args,
      })),
      plugins: {
        deschedule: { enabled: Object.keys(deschedule) },
        balance: { enabled: Object.keys(balance) },
      },
    })),
  }
}

/** Wants every running pod of the story gone. */
export function everybody(world: DeschedulingWorld): Plugins {
  return { deschedule: { PodLifeTime: { states: ['Running'], namespaces: { include: [world.namespace] } } } }
}

export function policyFor(world: DeschedulingWorld, top: object = {}): object {
  return policyWith(world, { story: everybody(world) }, top)
}

export async function seeCycle(world: DeschedulingWorld, what: string, descheduler: StoryDescheduler): Promise<void> {
  const { spared: _, ...seen } = await descheduler.cycle()
  world.observe(what, seen)
}

export async function isMoving(world: DeschedulingWorld, pod: PodKey): Promise<void> {
  await becomes(world, pod, `${pod.name} is moving`, ({ status }) => status.activeEvacuatorClass === machines)
}

/** It has moved: its evacuator is done. */
export async function moves(world: DeschedulingWorld, pod: PodKey): Promise<void> {
  await isMoving(world, pod)
  await report(world, pod, { activeEvacuatorCompleted: true })
  await isOver(world, pod)
}

/** On a slow machine the steps of a story take longer than any time that could be waited for. */
export const patient = { requestTtlMs: 3_600_000 }
export const impatient = { requestTtlMs: 1_000 }
