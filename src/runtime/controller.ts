/** One of the loops that the manager runs. */
export interface Controller {
  /** For logs and metrics: `evacuations`. */
  readonly name: string
  /** It leads only once the API server reaches the webhooks: what it does, one of them has to follow up. */
  readonly needsWebhooks?: boolean
  /** Keeps what it knows of the cluster up to date until the signal aborts, leading or not; never rejects. */
  follow(signal: AbortSignal): Promise<void>
  /** Resolves once it knows everything there was when it began to follow. */
  synced(): Promise<void>
  /** Acts until the signal aborts, and resolves when nothing of it runs any more. Called again at each turn of leading. */
  lead(signal: AbortSignal): Promise<void>
}
