import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { renderKubeconfig } from './kubeconfig.ts'

const content = { name: 'boat', server: 'https://127.0.0.1:1', certificateAuthority: 'CA', user: 'admin' }
const base64 = (text: string) => Buffer.from(text).toString('base64')

test('a kubeconfig carries everything inside, and points to its only context', () => {
  const pair = { certificate: 'CERTIFICATE', key: 'KEY' }
  const config = parse(renderKubeconfig({ ...content, credentials: { kind: 'certificate', pair } })) as unknown
  expect(config).toEqual({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'boat', cluster: { server: 'https://127.0.0.1:1', 'certificate-authority-data': base64('CA') } },
    ],
    users: [
      {
        name: 'admin',
        user: { 'client-certificate-data': base64('CERTIFICATE'), 'client-key-data': base64('KEY') },
      },
    ],
    contexts: [{ name: 'boat', context: { cluster: 'boat', user: 'admin', namespace: 'default' } }],
    'current-context': 'boat',
  })
})

test('a token stands as it is', () => {
  const config = parse(renderKubeconfig({ ...content, credentials: { kind: 'token', token: 'abc' } })) as {
    users: unknown
  }
  expect(config.users).toEqual([{ name: 'admin', user: { token: 'abc' } }])
})
