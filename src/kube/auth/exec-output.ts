import type { Credential } from './credentials.ts'
import { isBearerToken } from './credentials.ts'
import type { ExecConfig } from './exec-config.ts'
import { isFields } from './kubeconfig-entry.ts'
import type { KubeconfigFields } from './kubeconfig-entry.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

export interface ExecOutput {
  readonly credential: Credential
  readonly expiresAtMs: number | undefined
}

/** Reads the ExecCredential that a plugin printed. An error never repeats any of it: it may hold a secret. */
export function parseExecOutput(stdout: string, config: ExecConfig): ExecOutput {
  const place = `${config.place} command "${config.command}"`
  const status = parseStatus(stdout, { place, apiVersion: config.apiVersion })
  const token = textOf(status, 'token', place)
  if (token !== undefined && !isBearerToken(token)) {
    throw new KubeconfigError(`${place} gave a token with blanks or line breaks in it`)
  }
  const certificate = textOf(status, 'clientCertificateData', place)
  const key = textOf(status, 'clientKeyData', place)
  if ((certificate === undefined) !== (key === undefined)) {
    throw new KubeconfigError(`${place} gave only one of clientCertificateData and clientKeyData; both are needed`)
  }
  if (token === undefined && certificate === undefined) {
    throw new KubeconfigError(`${place} gave neither a token nor a client certificate`)
  }
  return {
    credential: {
      ...(token === undefined ? {} : { token }),
      ...(certificate === undefined || key === undefined ? {} : { certificate: { certificate, key } }),
    },
    expiresAtMs: parseExpiry(textOf(status, 'expirationTimestamp', place), place),
  }
}

function parseStatus(stdout: string, expected: { place: string; apiVersion: string }): KubeconfigFields {
  const { place, apiVersion } = expected
  const output = parseJson(stdout)
  if (!isFields(output) || output['kind'] !== 'ExecCredential') {
    throw new KubeconfigError(`${place} did not print an ExecCredential as JSON`)
  }
  if (output['apiVersion'] !== apiVersion) {
    throw new KubeconfigError(
      `${place} printed an ExecCredential of another apiVersion than the configured ${apiVersion}`,
    )
  }
  const status = output['status']
  if (!isFields(status)) throw new KubeconfigError(`${place} printed an ExecCredential without a status`)
  return status
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function textOf(status: KubeconfigFields, name: string, place: string): string | undefined {
  const value = status[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  throw new KubeconfigError(`${place} gave a ${name} that is not a text`)
}

function parseExpiry(timestamp: string | undefined, place: string): number | undefined {
  if (timestamp === undefined) return undefined
  const expiresAtMs = Date.parse(timestamp)
  if (Number.isFinite(expiresAtMs)) return expiresAtMs
  throw new KubeconfigError(`${place} gave an expirationTimestamp that is not a time`)
}
