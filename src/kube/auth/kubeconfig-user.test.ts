import { describe, expect, test } from 'vitest'

import { VirtualClock } from '../../runtime/virtual-clock.ts'
import type { KubeconfigFields } from './kubeconfig-entry.ts'
import { resolveUser } from './kubeconfig-user.ts'

const certificate = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
const key = '-----BEGIN EC PRIVATE KEY-----\nSECRET\n-----END EC PRIVATE KEY-----\n'
const encode = (text: string) => Buffer.from(text).toString('base64')
const pair = { 'client-certificate-data': encode(certificate), 'client-key-data': encode(key) }
const apiVersion = 'client.authentication.k8s.io/v1'
const exec = { apiVersion, command: 'login', interactiveMode: 'Never' }

const contents: Record<string, string> = {
  '/etc/kube/tls.crt': certificate,
  '/etc/kube/tls.key': key,
  '/etc/kube/token': 'from-file',
}

async function resolve(fields: KubeconfigFields) {
  return await resolveUser(
    { place: 'user "dev"', folder: '/etc/kube', fields },
    { server: 'https://host' },
    {
      clock: new VirtualClock(),
      environment: {},
      files: {
        readText: async (path) => {
          const text = contents[path]
          if (text === undefined) throw Object.assign(new Error('gone'), { code: 'ENOENT' })
          return text
        },
      },
      processes: {
        run: async () => ({
          kind: 'exited',
          code: 0,
          stdout: JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token: 'from-plugin' } }),
          stderr: '',
        }),
      },
    },
  )
}

describe('presents', () => {
  test.each([
    { name: 'nothing, as nobody', fields: {}, expected: {} },
    { name: 'a token', fields: { token: 't' }, expected: { token: 't' } },
    { name: 'a certificate from data', fields: pair, expected: { certificate: { certificate, key } } },
    {
      name: 'a certificate from files',
      fields: { 'client-certificate': 'tls.crt', 'client-key': '/etc/kube/tls.key' },
      expected: { certificate: { certificate, key } },
    },
    {
      name: 'a certificate from a file with its key from data',
      fields: { 'client-certificate': 'tls.crt', 'client-key-data': encode(key) },
      expected: { certificate: { certificate, key } },
    },
    {
      name: 'a token and a certificate',
      fields: { ...pair, token: 't' },
      expected: { token: 't', certificate: { certificate, key } },
    },
    { name: 'a token from a file', fields: { tokenFile: 'token' }, expected: { token: 'from-file' } },
    { name: 'the file before the token', fields: { tokenFile: 'token', token: 't' }, expected: { token: 'from-file' } },
    { name: 'the token when the file is gone', fields: { tokenFile: 'none', token: 't' }, expected: { token: 't' } },
    {
      name: 'a token from a file and a certificate',
      fields: { ...pair, tokenFile: 'token' },
      expected: { token: 'from-file', certificate: { certificate, key } },
    },
    { name: 'what a plugin says', fields: { exec }, expected: { token: 'from-plugin' } },
    { name: 'a token rather than what a plugin says', fields: { exec, token: 't' }, expected: { token: 't' } },
    { name: 'a token beside an empty user name', fields: { token: 't', username: '' }, expected: { token: 't' } },
  ])('$name', async ({ fields, expected }) => {
    const credentials = await resolve(fields)
    expect(await credentials.current()).toEqual(expected)
  })
})

describe('refuses', () => {
  test.each([
    {
      fields: { username: 'jane', password: 'SECRET' },
      expected: 'user "dev": username is not supported: Kubernetes no',
    },
    { fields: { password: 'SECRET' }, expected: 'user "dev": password is not supported' },
    { fields: { 'auth-provider': { name: 'gcp' } }, expected: 'auth-provider is not supported: Kubernetes removed it' },
    {
      fields: { token: 't', as: 'root' },
      expected: 'user "dev": as is not supported: Lifeboat acts with its own rights',
    },
    { fields: { token: 't', 'as-groups': ['system:masters'] }, expected: 'user "dev": as-groups is not supported' },
    { fields: { 'client-certificate': 'tls.crt' }, expected: 'user "dev": has a client-certificate but no client-key' },
    { fields: { 'client-key': 'tls.key' }, expected: 'user "dev": has a client-key but no client-certificate' },
    { fields: { ...pair, exec }, expected: 'user "dev": has both exec and a client certificate; keep one' },
    { fields: { token: 'SECRET SECRET' }, expected: 'user "dev": token has blanks or line breaks in it' },
    { fields: { token: 7 }, expected: 'user "dev": token must be a text' },
    { fields: { tokenFile: 'none' }, expected: 'user "dev": token file /etc/kube/none does not exist' },
    { fields: { exec: { command: 'x' } }, expected: 'user "dev": exec has no apiVersion' },
    {
      fields: { ...pair, 'client-key-data': encode('SECRET') },
      expected: 'user "dev": client-key-data does not hold a PEM private key',
    },
    { fields: { ...pair, 'client-key-data': 'SECRET!' }, expected: 'user "dev": client-key-data is not valid base64' },
  ])('$expected', async ({ fields, expected }) => {
    const message = await resolve(fields).then(String, (error: Error) => error.message)
    expect(message).toContain(expected)
    expect(message).not.toContain('SECRET')
  })
})
