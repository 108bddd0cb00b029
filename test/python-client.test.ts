import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isContinuousIntegration } from './continuous-integration.ts'
import { openServedCluster } from './build/served-cluster.ts'

// Since 3.13 Python checks certificates strictly, as RFC 5280 wants them: it refuses one without key identifiers.
// https://docs.python.org/3/library/ssl.html#ssl.create_default_context

const listNodes = `
import json, ssl, sys, urllib.request
url, authority, certificate, key, strict = sys.argv[1:]
context = ssl.create_default_context(cafile=authority)
if strict == "strict":
    context.verify_flags |= ssl.VERIFY_X509_STRICT
context.load_cert_chain(certificate, key)
with urllib.request.urlopen(url + "/api/v1/nodes", context=context) as answer:
    print(*[item["metadata"]["name"] for item in json.load(answer)["items"]])
`

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: { readonly 'certificate-authority-data': string } }[]
  readonly users: readonly {
    readonly user: { readonly 'client-certificate-data': string; readonly 'client-key-data': string }
  }[]
}

/** False also where there is no Python. */
function hasPython(minorMin: number): boolean {
  const check = `import sys; sys.exit(sys.version_info < (3, ${minorMin}))`
  return spawnSync('python3', ['-c', check]).status === 0
}

describe('a Python client of `lifeboat cluster`', () => {
  const open = new AsyncDisposableStack()
  const paths = { authority: '', certificate: '', key: '' }
  let url = ''
  beforeAll(async () => {
    const served = open.use(await openServedCluster({ nodes: 2 }))
    url = served.url
    const folder = await mkdtemp(join(tmpdir(), 'lifeboat-python-'))
    open.defer(() => rm(folder, { recursive: true }))
    const { clusters, users } = parse(await readFile(served.kubeconfig, 'utf8')) as Kubeconfig
    const data = {
      authority: clusters[0]?.cluster['certificate-authority-data'],
      certificate: users[0]?.user['client-certificate-data'],
      key: users[0]?.user['client-key-data'],
    }
    for (const name of ['authority', 'certificate', 'key'] as const) {
      paths[name] = join(folder, name)
      await writeFile(paths[name], Buffer.from(data[name] ?? '', 'base64'))
    }
  })
  afterAll(() => open.disposeAsync())

  async function nodesSeen(strictness: 'strict' | 'as it is'): Promise<string> {
    const { authority, certificate, key } = paths
    const words = ['-c', listNodes, url, authority, certificate, key, strictness]
    // A proxy of this machine has no part in this.
    const env = { ...process.env, no_proxy: '*' }
    return (await promisify(execFile)('python3', words, { env })).stdout.trim()
  }

  test.skipIf(!hasPython(13))('lists nodes with the settings that Python has by itself', async () => {
    expect(await nodesSeen('as it is')).toBe('node-1 node-2')
  })

  // What an older Python checks only when asked to.
  test.skipIf(!hasPython(4) && !isContinuousIntegration())('lists nodes where it is told to be strict', async () => {
    expect(await nodesSeen('strict')).toBe('node-1 node-2')
  })
})
