import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The drop-in of logind that says for how long a lock may delay a shutdown. In /run: gone after a reboot. */
export interface BudgetFile {
  /** Undefined: there is none. */
  read(): Promise<string | undefined>
  write(text: string): Promise<void>
  remove(): Promise<void>
}

/** Its name sorts after those that distributions ship, unattended-upgrades' say; the last one counts. */
export const budgetFilePath = '/run/systemd/logind.conf.d/zz-lifeboat.conf'

export function budgetFile(path: string): BudgetFile {
  return {
    read: async () => {
      try {
        return await readFile(path, 'utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    write: async (text) => {
      const folder = dirname(path)
      await mkdir(folder, { recursive: true })
      // Not a name that logind reads.
      const temporary = join(folder, '.zz-lifeboat.new')
      await writeFile(temporary, text, { mode: 0o644 })
      await rename(temporary, path)
    },
    remove: () => rm(path, { force: true }),
  }
}
