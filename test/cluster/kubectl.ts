import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { filesIn } from './components.ts'

export interface KubectlOptions {
  readonly stdin?: string
}

/** Resolves to what kubectl printed; rejects with a KubectlError if it failed. */
export type Kubectl = (args: readonly string[], options?: KubectlOptions) => Promise<string>

export class KubectlError extends Error {
  override readonly name = 'KubectlError'
  readonly stderr: string
  readonly exitCode: number | null

  constructor(args: readonly string[], result: { stderr: string; exitCode: number | null }) {
    super(`kubectl ${args.join(' ')} ended with ${result.exitCode ?? 'a signal'}: ${result.stderr.trim()}`)
    this.stderr = result.stderr
    this.exitCode = result.exitCode
  }
}

export interface KubectlAccess {
  readonly kubectlPath: string
  readonly kubeconfigPath: string
  /** The cluster's folder. */
  readonly folder: string
}

export function createKubectl(access: KubectlAccess): Kubectl {
  const env = {
    ...process.env,
    KUBECONFIG: access.kubeconfigPath,
    // kubectl remembers by address for hours what a server can do: another cluster may have had the same port before.
    KUBECACHEDIR: filesIn(access.folder).kubectlCache,
  }
  return async (args, options = {}) => {
    const child = spawn(access.kubectlPath, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
    const { promise: exited, resolve, reject } = Promise.withResolvers<number | null>()
    child.once('error', reject)
    child.once('close', resolve)
    // kubectl may end without reading all of its input; its exit code and output tell what happened.
    child.stdin.on('error', () => {})
    child.stdin.end(options.stdin ?? '')
    const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exited])
    if (exitCode !== 0) throw new KubectlError(args, { stderr, exitCode })
    return stdout
  }
}
