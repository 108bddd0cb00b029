import { Agent, request } from 'undici'
import { parse } from 'yaml'
import { builtInAdmission } from '../../src/embedded/server/admission/built-in-admission.ts'
import { openEmbeddedCluster } from '../../src/embedded/cluster.ts'
import { serveCluster } from '../../src/embedded/kubectl/http/serve-cluster.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { seededRandom } from '../../src/runtime/random.ts'
import { systemClock } from '../../src/runtime/system.ts'

/** An API server as somebody meets it who means harm: bytes go in as they are. */
export interface Door {
  send(
    method: string,
    path: string,
    body: string,
    contentType: string,
  ): Promise<{ status: number; body: Record<string, unknown> }>
  close(): Promise<void>
}

interface Kubeconfig {
  clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }]
  users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }]
}

export function openDoor(kubeconfig: string): Door {
  const { clusters, users } = parse(kubeconfig) as Kubeconfig
  const decoded = (base64: string) => Buffer.from(base64, 'base64').toString('utf8')
  const { cluster } = clusters[0]
  const { user } = users[0]
  const dispatcher = new Agent({
    connect: {
      ca: decoded(cluster['certificate-authority-data']),
      cert: decoded(user['client-certificate-data']),
      key: decoded(user['client-key-data']),
    },
  })
  return {
    send: async (method, path, body, contentType) => {
      const headers = { 'content-type': contentType }
      const answer = await request(`${cluster.server}${path}`, { method, headers, body, dispatcher })
      const text = await answer.body.text()
      return { status: answer.statusCode, body: JSON.parse(text) as Record<string, unknown> }
    },
    close: () => dispatcher.close(),
  }
}

/** The embedded cluster behind its listener. */
export async function openServedEmbedded(): Promise<{ ground: AsyncDisposable; kubeconfig: string }> {
  const options = { clock: systemClock, random: seededRandom(1), log: silentLog, nodes: 1, admission: builtInAdmission }
  await using opening = new AsyncDisposableStack()
  const cluster = opening.use(await openEmbeddedCluster(options))
  const served = opening.use(
    await serveCluster(cluster, { port: 0, clock: systemClock, log: silentLog, name: 'hostile' }),
  )
  return { ground: opening.move(), kubeconfig: served.kubeconfig }
}
