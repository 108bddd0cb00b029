/** Something worth telling the people who look at an object: `kubectl describe` shows it. */
export interface ClusterEvent {
  readonly about: EventSubject
  readonly type: 'Normal' | 'Warning'
  /** One word in CamelCase, for machines: `EvictionRefused`. */
  readonly reason: string
  /** A sentence for people. */
  readonly note: string
}

/** Any object of the API satisfies this as it is. */
export interface EventSubject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid: string
    readonly resourceVersion?: string
  }
}
