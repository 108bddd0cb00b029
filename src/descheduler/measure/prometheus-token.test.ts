import { describe, expect, test } from 'vitest'
import type { FileReader } from '../../kube/auth/system-files.ts'
import type { TransportResponse } from '../../kube/client/transport.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { FakeApi, failure } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { PrometheusProblem } from './prometheus-answer.ts'
import { readPrometheusToken } from './prometheus-token.ts'

const secretPath = '/api/v1/namespaces/monitoring/secrets/prometheus'
const reference = { namespace: 'monitoring', name: 'prometheus' }
const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount/token'

interface Ground {
  readonly authToken?: typeof reference
  /** Of the file; undefined: it is not there. */
  readonly file?: string
  /** Of the Secret, before base64; undefined: it is not there. */
  readonly data?: Record<string, string>
  readonly fault?: TransportResponse
}

function read({ authToken, file, data, fault }: Ground, signal = new AbortController().signal) {
  const api = new FakeApi()
  api.fault = () => fault
  if (data !== undefined) {
    const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])
    api.put(secretPath, { metadata: reference, data: Object.fromEntries(encoded) } as never)
  }
  const files: FileReader = {
    readText: async (path) => {
      if (path === tokenPath && file !== undefined) return file
      throw Object.assign(new Error('missing'), { code: 'ENOENT' })
    },
  }
  const kube = buildKube(api, new VirtualClock())
  return readPrometheusToken({ url: 'http://prometheus', authToken }, { kube, files }, signal)
}

describe('the token', () => {
  test.each<Ground & { name: string; expected: string }>([
    { name: 'is that of the service account', file: 'of-account\n', expected: 'of-account' },
    {
      name: 'is that of the Secret, if the policy names one',
      authToken: reference,
      file: 'of-account',
      data: { prometheusAuthToken: 'of-secret\n' },
      expected: 'of-secret',
    },
  ])('$name', async ({ expected, ...ground }) => {
    expect(await read(ground)).toBe(expected)
  })

  test.each<Ground & { name: string; expected: string }>([
    {
      name: 'there is no file',
      expected: `the token file ${tokenPath} does not exist; outside of a pod, name a Secret in prometheus.authToken`,
    },
    { name: 'the file is empty', file: '\n', expected: `the token file ${tokenPath} is empty` },
    {
      name: 'the file has two lines',
      file: 'a\nb',
      expected: `the token file ${tokenPath} does not hold a bearer token`,
    },
    {
      name: 'there is no Secret, even beside a file',
      authToken: reference,
      file: 'of-account',
      expected: 'Secret monitoring/prometheus does not exist',
    },
    {
      name: 'the Secret may not be read',
      authToken: reference,
      fault: failure(403, 'Forbidden', 'secrets "prometheus" is forbidden'),
      expected: 'Secret monitoring/prometheus cannot be read: secrets "prometheus" is forbidden',
    },
    {
      name: 'the Secret has another key',
      authToken: reference,
      data: { token: 'x' },
      expected: 'Secret monitoring/prometheus has no key prometheusAuthToken',
    },
    {
      name: 'the key is empty',
      authToken: reference,
      data: { prometheusAuthToken: '' },
      expected: 'the key prometheusAuthToken of Secret monitoring/prometheus is empty',
    },
    {
      name: 'the key holds something else',
      authToken: reference,
      data: { prometheusAuthToken: 'two words' },
      expected: 'the key prometheusAuthToken of Secret monitoring/prometheus does not hold a bearer token',
    },
  ])('is a problem: $name', async ({ expected, ...ground }) => {
    await expect(read(ground)).rejects.toThrow(new PrometheusProblem(expected))
  })

  test('is not waited for beyond the signal', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(read({ authToken: reference }, signal)).rejects.toThrow('enough')
  })
})
