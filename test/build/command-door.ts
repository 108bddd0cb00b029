import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Method, Transport } from '../../src/kube/client/transport.ts'
import { runProgram } from '../../src/cli/program.ts'
import { serveOnLoopback } from './loopback-server.ts'
import { commandWorld } from './served-cluster.ts'

export interface CommandDoor extends AsyncDisposable {
  /** Runs a command of `lifeboat`, which must succeed, and returns what it printed. */
  run(words: readonly string[]): Promise<readonly string[]>
}

/** For commands that ask and do not watch, on any cluster: also on one whose time passes only while it is asked. */
export async function openCommandDoor(transport: Transport): Promise<CommandDoor> {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-door-'))
  const server = await serveOnLoopback(answerBy(transport))
  const kubeconfig = join(folder, 'kubeconfig')
  const name = 'story'
  const entries = {
    clusters: [{ name, cluster: { server: server.url } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  }
  await writeFile(kubeconfig, stringify({ apiVersion: 'v1', kind: 'Config', 'current-context': name, ...entries }))
  return {
    run: async (words) => {
      const world = commandWorld()
      const code = await runProgram(world, [...words, '--kubeconfig', kubeconfig])
      if (code !== 0) throw new Error(`lifeboat ${words.join(' ')}: ${code}: ${world.errors.join('; ')}`)
      return world.lines
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

function answerBy(transport: Transport): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => void forward())
    const forward = async () => {
      const url = new URL(request.url ?? '/', 'http://localhost')
      const text = Buffer.concat(chunks).toString()
      const contentType = request.headers['content-type']
      const { accept } = request.headers
      const answer = await transport.request({
        method: (request.method ?? 'GET') as Method,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: {
          ...(contentType === undefined ? {} : { 'content-type': contentType }),
          ...(accept === undefined ? {} : { accept }),
        },
        ...(text === '' ? {} : { body: JSON.parse(text) as unknown }),
      })
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer.body))
    }
  }
}
