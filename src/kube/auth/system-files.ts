import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'

/** Reads small text files. */
export interface FileReader {
  /** The text as UTF-8. Rejects as Node does: the error's `code` tells why. */
  readText(path: string): Promise<string>
}

/** Runs a command to its end, without a terminal. */
export interface ProcessRunner {
  /** Ends the process and rejects with the signal's reason when that aborts. */
  run(request: ProcessRequest): Promise<ProcessResult>
}

export interface ProcessRequest {
  readonly command: string
  readonly args: readonly string[]
  /** All of it: nothing is inherited beside. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly outputBytesMax: number
  readonly signal: AbortSignal
}

export type ProcessResult =
  | { readonly kind: 'exited'; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'killed'; readonly by: string; readonly stderr: string }
  | { readonly kind: 'notFound' }
  | { readonly kind: 'notStarted'; readonly problem: string }
  | { readonly kind: 'tooMuchOutput' }

const fileBytesMax = 16 * 1024 * 1024

export const systemFiles: FileReader = {
  readText: async (path) => {
    const { size } = await stat(path)
    if (size > fileBytesMax) throw Object.assign(new Error('file too large'), { code: 'EFBIG' })
    return await readFile(path, 'utf8')
  },
}

export const systemProcesses: ProcessRunner = {
  run: async (request) => {
    request.signal.throwIfAborted()
    const child = spawn(request.command, request.args, {
      env: { ...request.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    const { promise, resolve, reject } = Promise.withResolvers<ProcessResult>()
    const onAbort = () => {
      end(child)
      reject(request.signal.reason)
    }
    request.signal.addEventListener('abort', onAbort, { once: true })
    const onTooMuch = () => {
      end(child)
      resolve({ kind: 'tooMuchOutput' })
    }
    const stdout = collect(child.stdout, request.outputBytesMax, onTooMuch)
    const stderr = collect(child.stderr, request.outputBytesMax, onTooMuch)
    child.on('error', (error) => resolve(failedStart(error)))
    child.on('close', (code, by) =>
      resolve(
        code === null
          ? { kind: 'killed', by: by ?? 'unknown signal', stderr: stderr() }
          : { kind: 'exited', code, stdout: stdout(), stderr: stderr() },
      ),
    )
    try {
      return await promise
    } finally {
      request.signal.removeEventListener('abort', onAbort)
    }
  },
}

/** SIGKILL, and let go of the pipes: a grandchild that holds them open must not hold us. */
function end(child: ChildProcessByStdio<null, Readable, Readable>): void {
  child.kill('SIGKILL')
  child.stdout.destroy()
  child.stderr.destroy()
}

function collect(stream: Readable, bytesMax: number, onTooMuch: () => void): () => string {
  const chunks: Buffer[] = []
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > bytesMax) onTooMuch()
    else chunks.push(chunk)
  })
  // A destroyed pipe may report that; the result is decided by then.
  stream.on('error', () => {})
  return () => Buffer.concat(chunks).toString('utf8')
}

function failedStart(error: NodeJS.ErrnoException): ProcessResult {
  if (error.code === 'ENOENT') return { kind: 'notFound' }
  return { kind: 'notStarted', problem: error.code ?? 'unknown problem' }
}
