import { describe, expect, test } from 'vitest'

import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { isInCluster, loadInCluster } from './in-cluster.ts'

const folder = '/var/run/secrets/kubernetes.io/serviceaccount'
const authority = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
const mounted = { token: 'abc\n', 'ca.crt': authority, namespace: 'lifeboat-system' }

const load = async (
  contents: Record<string, string | undefined> = {},
  environment: Record<string, string | undefined> = {},
) => {
  const all: Record<string, string | undefined> = { ...mounted, ...contents }
  return await loadInCluster({
    environment: { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443', ...environment },
    clock: new VirtualClock(),
    files: {
      readText: async (path) => {
        const text = all[path.slice(folder.length + 1)]
        if (text === undefined) throw Object.assign(new Error('gone'), { code: 'ENOENT' })
        return text
      },
    },
  })
}

test('takes token, authority and namespace from the mounted files', async () => {
  const { credentials, ...access } = await load()
  expect(access).toEqual({
    server: 'https://10.0.0.1:443',
    namespace: 'lifeboat-system',
    tls: { certificateAuthority: authority, insecureSkipVerify: false },
  })
  expect(await credentials.current()).toEqual({ token: 'abc' })
})

test.each([
  { host: '10.0.0.1', port: '6443', expected: 'https://10.0.0.1:6443' },
  { host: 'fd00::1', port: '443', expected: 'https://[fd00::1]:443' },
  { host: 'kubernetes.default.svc', port: '443', expected: 'https://kubernetes.default.svc:443' },
])('host $host is reached at $expected', async ({ host, port, expected }) => {
  const access = await load({}, { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port })
  expect(access.server).toBe(expected)
})

test('an empty namespace file means default', async () => {
  expect((await load({ namespace: '\n' })).namespace).toBe('default')
})

describe('says what is missing', () => {
  test.each([
    {
      contents: { token: undefined },
      expected: `in-cluster service account: token file ${folder}/token does not exist`,
    },
    { contents: { 'ca.crt': undefined }, expected: `in-cluster service account: ${folder}/ca.crt does not exist` },
    { contents: { namespace: undefined }, expected: `in-cluster service account: ${folder}/namespace does not exist` },
    {
      contents: { 'ca.crt': 'oops' },
      expected: `in-cluster service account: ${folder}/ca.crt does not hold a PEM certificate`,
    },
  ])('$expected', async ({ contents, expected }) => {
    await expect(load(contents)).rejects.toThrow(expected)
  })

  test.each([undefined, '', 'tcp'])('a port of %s', async (port) => {
    await expect(load({}, { KUBERNETES_SERVICE_PORT: port })).rejects.toThrow('KUBERNETES_SERVICE_PORT is not a port')
  })
})

test.each([
  { environment: {}, expected: false },
  { environment: { KUBERNETES_SERVICE_HOST: '' }, expected: false },
  { environment: { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, expected: true },
])('with $environment it is a pod: $expected', ({ environment, expected }) => {
  expect(isInCluster(environment)).toBe(expected)
})
