import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtInAdmission } from '../../src/embedded/server/admission/built-in-admission.ts'
import type { WebhookCaller } from '../../src/embedded/server/admission/webhooks/webhook-caller.ts'
import { openEmbeddedCluster, type EmbeddedCluster } from '../../src/embedded/cluster.ts'
import { serveCluster } from '../../src/embedded/kubectl/http/serve-cluster.ts'
import type { Kube } from '../../src/kube/client/client.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { systemClock, systemRandom } from '../../src/runtime/system.ts'
import { buildKube } from './kube.ts'

/** An embedded cluster in real time, behind a kubeconfig: for commands. */
export interface ServedCluster extends AsyncDisposable {
  readonly cluster: EmbeddedCluster
  readonly kubeconfig: string
  readonly url: string
  readonly certificateAuthority: string
  readonly admin: Kube
}

const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }

export async function openServedCluster(
  options: { readonly nodes?: number; readonly webhookCaller?: WebhookCaller } = {},
): Promise<ServedCluster> {
  await using opening = new AsyncDisposableStack()
  const { nodes = 0, webhookCaller } = options
  const cluster = opening.use(
    await openEmbeddedCluster({
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      nodes,
      admission: builtInAdmission,
      ...(webhookCaller === undefined ? {} : { webhookCaller }),
    }),
  )
  const served = opening.use(
    await serveCluster(cluster, { port: 0, clock: systemClock, log: silentLog, name: 'lifeboat' }),
  )
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-served-'))
  opening.defer(() => rm(folder, { recursive: true }))
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, served.kubeconfig)
  const open = opening.move()
  return {
    cluster,
    kubeconfig,
    url: served.url,
    certificateAuthority: served.certificateAuthority,
    admin: buildKube(cluster.transport(admin), systemClock),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** A world for a command: what it prints, to people and for programs, and a way to interrupt it. */
export function commandWorld() {
  const lines: string[] = []
  const errors: string[] = []
  const interrupt = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<string>()
  return {
    programName: 'lifeboat',
    lines,
    /** What went to stderr. */
    errors,
    printError: (line: string) => void errors.push(line),
    /** As a pipe: what is written to it is among the lines. */
    terminal: {
      isTerminal: false,
      color: false,
      columns: () => 80,
      rows: () => 24,
      write: (text: string) => void lines.push(...text.replace(/\n$/, '').split('\n')),
    },
    /** The line that begins with `ready`. */
    ready: ready.promise,
    interrupt: () => interrupt.resolve(),
    print: (line: string) => {
      lines.push(line)
      if (line.startsWith('ready')) ready.resolve(line)
    },
    untilInterrupted: () => interrupt.promise,
  }
}
