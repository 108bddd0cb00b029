import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../src/runtime/system.ts'
import { TokenBucket } from '../src/runtime/token-bucket.ts'
import { Road, type Direction, type PassingRequest } from '../test/scenarios/road.ts'

export interface Slowness {
  readonly delayMs: number
  readonly requestsPerSecond: number
}

/** The way to an API server that is far away and has much to do. */
export class SlowRoad extends Road {
  readonly #delayMs: number
  readonly #bucket: TokenBucket

  constructor({ delayMs, requestsPerSecond }: Slowness) {
    super()
    this.#delayMs = delayMs
    this.#bucket = new TokenBucket({ clock: systemClock, ratePerSecond: requestsPerSecond, burst: 1 })
  }

  override async pass(request: PassingRequest, direction: Direction): Promise<void> {
    await super.pass(request, direction)
    if (direction === 'answer') return
    await this.#bucket.take(request.signal)
    await pause(this.#delayMs)
  }
}
