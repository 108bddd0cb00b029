import { describe, expect, test } from 'vitest'

import type { ExecConfig } from './exec-config.ts'
import { parseExecOutput } from './exec-output.ts'

const apiVersion = 'client.authentication.k8s.io/v1'
const config: ExecConfig = {
  place: 'user "dev": exec',
  apiVersion,
  command: 'login',
  args: [],
  environment: {},
  installHint: undefined,
  provideClusterInfo: false,
}
const secret = 'SECRET-VALUE'
const output = (status: unknown, change: object = {}) =>
  JSON.stringify({ apiVersion, kind: 'ExecCredential', status, ...change })

describe('good', () => {
  test.each([
    { name: 'a token', status: { token: 't' }, expected: { credential: { token: 't' }, expiresAtMs: undefined } },
    {
      name: 'a certificate',
      status: { clientCertificateData: 'c', clientKeyData: 'k' },
      expected: { credential: { certificate: { certificate: 'c', key: 'k' } }, expiresAtMs: undefined },
    },
    {
      name: 'both, with an expiry',
      status: {
        token: 't',
        clientCertificateData: 'c',
        clientKeyData: 'k',
        expirationTimestamp: '2026-01-01T00:00:00Z',
      },
      expected: {
        credential: { token: 't', certificate: { certificate: 'c', key: 'k' } },
        expiresAtMs: Date.UTC(2026, 0, 1),
      },
    },
    {
      name: 'empty fields, as Go writes them',
      status: { token: 't', clientCertificateData: '', clientKeyData: '', expirationTimestamp: null },
      expected: { credential: { token: 't' }, expiresAtMs: undefined },
    },
  ])('$name', ({ status, expected }) => expect(parseExecOutput(output(status), config)).toEqual(expected))
})

describe('bad', () => {
  test.each([
    { name: 'no JSON', stdout: `token: ${secret}`, expected: 'did not print an ExecCredential as JSON' },
    { name: 'nothing', stdout: '', expected: 'did not print an ExecCredential as JSON' },
    { name: 'a list', stdout: `["${secret}"]`, expected: 'did not print an ExecCredential as JSON' },
    { name: 'another kind', stdout: output({}, { kind: secret }), expected: 'did not print an ExecCredential as JSON' },
    {
      name: 'another version',
      stdout: output({ token: secret }, { apiVersion: 'client.authentication.k8s.io/v1beta1' }),
      expected: `of another apiVersion than the configured ${apiVersion}`,
    },
    { name: 'no status', stdout: output(undefined), expected: 'without a status' },
    { name: 'an empty status', stdout: output({}), expected: 'gave neither a token nor a client certificate' },
    {
      name: 'a certificate without key',
      stdout: output({ clientCertificateData: secret }),
      expected: 'gave only one of clientCertificateData and clientKeyData',
    },
    {
      name: 'a key without certificate',
      stdout: output({ token: secret, clientKeyData: secret }),
      expected: 'gave only one of clientCertificateData and clientKeyData',
    },
    { name: 'a token of two lines', stdout: output({ token: `${secret}\nb` }), expected: 'a token with blanks' },
    { name: 'a token that is a number', stdout: output({ token: 7 }), expected: 'gave a token that is not a text' },
    {
      name: 'an expiry that is no time',
      stdout: output({ token: secret, expirationTimestamp: 'soon' }),
      expected: 'gave an expirationTimestamp that is not a time',
    },
  ])('$name', ({ stdout, expected }) => {
    let message = ''
    try {
      parseExecOutput(stdout, config)
    } catch (error) {
      message = String(error)
    }
    expect(message).toContain('user "dev": exec command "login"')
    expect(message).toContain(expected)
    expect(message).not.toContain(secret)
  })
})
