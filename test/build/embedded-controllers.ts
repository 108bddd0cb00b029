import type { ControllerParts, StartController } from '../../src/embedded/controllers/controller.ts'
import { serverApi } from '../../src/embedded/controllers/server-api.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { seededRandom } from '../../src/runtime/random.ts'
import { buildServer, type ServerOptions } from './embedded-server.ts'

/** An embedded API server with some controllers on it; end them with `await using`. */
export function buildServerWith(start: readonly StartController[], options: ServerOptions = {}) {
  const built = buildServer(options)
  const { store, server, definitions, clock } = built
  const parts: ControllerParts = {
    store,
    api: serverApi(server, definitions),
    clock,
    random: seededRandom(1),
    log: silentLog,
  }
  const running = start.map((controller) => controller(parts))
  return {
    ...built,
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((controller) => controller[Symbol.asyncDispose]()))
    },
  }
}
