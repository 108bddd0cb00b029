import type { ControllerParts, StartController } from './controller.ts'

/** Controllers that end together and start again, without anything that they had in memory. */
export class Restartable implements AsyncDisposable {
  readonly #start: () => AsyncDisposableStack
  #running: AsyncDisposableStack

  constructor(parts: ControllerParts, controllers: readonly StartController[]) {
    this.#start = () => {
      const running = new AsyncDisposableStack()
      for (const start of controllers) running.use(start(parts))
      return running
    }
    this.#running = this.#start()
  }

  async restart(): Promise<void> {
    await this.#running.disposeAsync()
    this.#running = this.#start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running.disposeAsync()
  }
}
