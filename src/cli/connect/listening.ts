import { InstallationError } from '../../manager/install/apply.ts'
import { renderAddress, type Address } from '../../runtime/listen.ts'

/** Waits until something listens. An address where that is not possible is told with the flag that it came from. */
export async function listening<T>(flag: string, address: Address, opening: Promise<T>): Promise<T> {
  try {
    return await opening
  } catch (error) {
    // Only calls to the system have one: anything else that fails has nothing to do with the address.
    if (!(error instanceof Error) || !('syscall' in error)) throw error
    throw new InstallationError(`${flag}: cannot listen at ${renderAddress(address)}: ${error.message}`, {
      cause: error,
    })
  }
}
