import { spawn } from 'node:child_process'

/** A program that writes whenever something happens, until it ends. */
export interface LongProcessRequest {
  readonly command: string
  readonly args: readonly string[]
  /** All of it: nothing is inherited beside. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** It wrote something. What it was is not kept. */
  readonly onOutput: () => void
  readonly signal: AbortSignal
}

/** Resolves when the program has ended, with how in words; it is ended when the signal aborts. */
export type LongProcessRunner = (request: LongProcessRequest) => Promise<string>

const errorLengthMax = 400

export const runLongProcess: LongProcessRunner = async ({ command, args, environment, onOutput, signal }) => {
  if (signal.aborted) return 'not started'
  const child = spawn(command, args, { env: { ...environment }, stdio: ['ignore', 'pipe', 'pipe'] })
  const end = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', end, { once: true })
  let complaint = ''
  child.stdout.on('data', onOutput)
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk.toString('utf8')}`.slice(-errorLengthMax)
    onOutput()
  })
  const { promise, resolve } = Promise.withResolvers<string>()
  child.once('error', (error) => resolve(error.message))
  child.once('close', (code, by) => resolve(`${complaint.trim()} (${by ?? `exit code ${code}`})`.trim()))
  try {
    return await promise
  } finally {
    signal.removeEventListener('abort', end)
  }
}
