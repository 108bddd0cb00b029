import type * as entry from '../../embedded/entry.ts'
import { CommandError } from '../output/errors.ts'

export type Embedded = typeof entry

/** Loads the embedded cluster. The container images of Lifeboat do not have it. */
export async function loadEmbedded(load = () => import('../../embedded/entry.ts')): Promise<Embedded> {
  try {
    return await load()
  } catch (error) {
    if (!isMissingModule(error)) throw error
    throw new CommandError(`the embedded cluster, which this command needs, is not here: ${error.message}`, {
      advice:
        'Container images of Lifeboat do not have it. Run the command in a checkout, as bin/lifeboat, or put lifeboat-cluster.mjs of `make build` beside lifeboat.mjs.',
      cause: error,
    })
  }
}

function isMissingModule(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
}
