import { describe, expect, test } from 'vitest'

import { resolveCluster } from './kubeconfig-cluster.ts'
import type { KubeconfigFields } from './kubeconfig-entry.ts'

const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
const encoded = Buffer.from(pem).toString('base64')
const files = { readText: async () => pem }
const cluster = async (fields: KubeconfigFields) =>
  await resolveCluster({ place: 'cluster "c"', folder: '/etc/kube', fields }, files)

test.each([
  { server: 'https://host:6443', expected: 'https://host:6443' },
  { server: 'https://host:6443/', expected: 'https://host:6443' },
  { server: 'https://rancher/k8s/clusters/c-1/', expected: 'https://rancher/k8s/clusters/c-1' },
  { server: 'https://[fd00::1]:6443', expected: 'https://[fd00::1]:6443' },
  { server: 'http://127.0.0.1:8001', expected: 'http://127.0.0.1:8001' },
])('server $server is reached at $expected', async ({ server, expected }) => {
  expect((await cluster({ server })).server).toBe(expected)
})

test('tells what TLS needs, and the same to a plugin', async () => {
  const { tls, execInfo } = await cluster({
    server: 'https://host',
    'certificate-authority-data': encoded,
    'tls-server-name': 'other',
    extensions: [
      { name: 'else', extension: 1 },
      { name: 'client.authentication.k8s.io/exec', extension: { audience: 'a' } },
    ],
  })
  expect(tls).toEqual({ certificateAuthority: pem, insecureSkipVerify: false, serverName: 'other' })
  expect(execInfo).toEqual({
    server: 'https://host',
    'tls-server-name': 'other',
    'certificate-authority-data': encoded,
    config: { audience: 'a' },
  })
})

test('an authority in a file reaches a plugin as data', async () => {
  const { execInfo } = await cluster({ server: 'https://host', 'certificate-authority': 'ca.pem' })
  expect(execInfo['certificate-authority-data']).toBe(encoded)
})

test('without an authority there is none', async () => {
  const { tls, execInfo } = await cluster({ server: 'https://host', 'insecure-skip-tls-verify': true })
  expect(tls).toEqual({ insecureSkipVerify: true })
  expect(execInfo).toEqual({ server: 'https://host', 'insecure-skip-tls-verify': true })
})

describe('refuses', () => {
  const server = 'https://host'
  test.each([
    { fields: {}, expected: 'cluster "c": has no server' },
    { fields: { server: 'host:6443' }, expected: 'cluster "c": server is not a URL such as https://host:6443' },
    { fields: { server: 'ftp://host' }, expected: 'server is not a URL such as' },
    { fields: { server: 'https://' }, expected: 'server is not a URL such as' },
    { fields: { server: 'https://jane:SECRET@host' }, expected: 'server may hold no user, password' },
    { fields: { server: 'https://host?token=SECRET' }, expected: 'server may hold no user, password, query' },
    { fields: { server, 'proxy-url': 'http://SECRET@p' }, expected: 'cluster "c": proxy-url is not supported' },
    {
      fields: { server, 'insecure-skip-tls-verify': true, 'certificate-authority-data': encoded },
      expected: 'insecure-skip-tls-verify and a certificate-authority exclude each other',
    },
    { fields: { server, 'insecure-skip-tls-verify': 'yes' }, expected: 'insecure-skip-tls-verify must be true or' },
    { fields: { server, extensions: 'x' }, expected: 'extensions must be a list' },
  ])('$expected', async ({ fields, expected }) => {
    const message = await cluster(fields).then(String, (error: Error) => error.message)
    expect(message).toContain(expected)
    expect(message).not.toContain('SECRET')
  })
})
