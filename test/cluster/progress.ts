/** Runs one step after the other and says on the screen which, and for how long. */
export interface Progress {
  step<Result>(what: string, run: () => Promise<Result>): Promise<Result>
}

export interface ProgressOptions {
  readonly write: (text: string) => void
  /** A terminal gets one line that counts on; anything else a line now and then, so that nothing looks hung. */
  readonly terminal: boolean
  readonly aliveIntervalMs?: number
}

export function createProgress(options: ProgressOptions): Progress {
  const { write, terminal } = options
  return {
    step: async (what, run) => {
      const startMs = performance.now()
      const elapsed = () => renderElapsed(performance.now() - startMs)
      write(terminal ? what : `${what}\n`)
      const alive = setInterval(
        () => write(terminal ? `\r${what}, ${elapsed()}` : `still ${what}, ${elapsed()}\n`),
        options.aliveIntervalMs ?? (terminal ? 1_000 : 30_000),
      )
      try {
        const result = await run()
        write(terminal ? `\r${what}: done after ${elapsed()}\n` : `${what}: done after ${elapsed()}\n`)
        return result
      } catch (error) {
        write(terminal ? `\r${what}: failed after ${elapsed()}\n` : `${what}: failed after ${elapsed()}\n`)
        throw error
      } finally {
        clearInterval(alive)
      }
    },
  }
}

export const stderrProgress = (): Progress =>
  createProgress({ write: (text) => void process.stderr.write(text), terminal: process.stderr.isTTY })

export function renderElapsed(elapsedMs: number): string {
  const seconds = Math.round(elapsedMs / 1_000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
