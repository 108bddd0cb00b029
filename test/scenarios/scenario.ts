import type { Transport } from '../../src/kube/client/transport.ts'
import type { Changes } from '../cluster/changes.ts'
import type { NewerPartName } from '../cluster/newer-parts.ts'

/** What a story needs beyond a namespace and nodes of its own, which every story has. */
export interface StoryNeeds {
  /** It breaks what others lean on: Lifeboat itself, its webhooks or its rights. It is told when nobody else is. */
  readonly ownCluster?: true
  /** Why it can be told in virtual time only. */
  readonly virtualTimeOnly?: string
  /** A real Kubernetes without it is not told the story; the embedded one has it. */
  readonly needs?: NewerPartName
}

/** One story, told to any Kubernetes. What it observed must be the same on all of them. */
export interface Scenario extends StoryNeeds {
  /** Reads as a sentence. */
  readonly name: string
  readonly run: (world: World) => Promise<void>
}

/** What a scenario does its part with. Every call is observed. */
export interface World {
  /** Its own, made before it runs. */
  readonly namespace: string
  /** Sends a request; `NS` in path and body stands for the namespace. The answer goes into the observations. */
  send(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    options?: SendOptions,
  ): Promise<Answer>
  /** The same, but nobody looks at the answer: for setting the scene. It must succeed. */
  arrange(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    options?: SendOptions,
  ): Promise<Answer>
  /** Tries something whose path has a name that clusters do not share: the answer is not observed. */
  attempt(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body: unknown,
    options?: SendOptions,
  ): Promise<Answer>
  /** What happened until now is too long ago to resume from. */
  forget(): Promise<void>
  /** Replaces an object; the answer is not observed. */
  update(path: string, body: unknown): Promise<Answer>
  /** Looks, without observing anything. */
  read(path: string, query?: Readonly<Record<string, string>>): Promise<Answer>
  /** Watches until `count` events came, or the watch ended; they go into the observations, in their order. */
  watch(path: string, query: Readonly<Record<string, string>>, count: number): Promise<readonly WatchedEvent[]>
  /** Asks again and again until the answer is right, or time is up. */
  eventually<T>(what: string, read: () => Promise<T>, isRight: (value: T) => boolean): Promise<T>
  /** Notes something for the comparison. */
  observe(what: string, value: unknown): void
}

export interface WatchedEvent {
  readonly type: string
  readonly object: Record<string, unknown>
}

export interface SendOptions {
  readonly query?: Readonly<Record<string, string>>
  readonly contentType?: string
  /** Somebody other than the admin. */
  readonly as?: string
}

export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** A Kubernetes to tell scenarios to. */
export interface Ground extends AsyncDisposable {
  readonly name: string
  readonly transport: Transport
  /** Makes what happened until now too long ago to resume from; absent where no scenario asks for it. */
  readonly forget?: () => Promise<void>
  /** Lets some time pass: really, or on a virtual clock. */
  pass(milliseconds: number): Promise<void>
  /** Other stories follow on it: what is left of one goes. */
  readonly isShared?: true
  /** Where looking costs something: says when it is time to look again. */
  readonly changes?: Changes
}
