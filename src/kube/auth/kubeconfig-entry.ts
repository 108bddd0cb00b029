import { resolve } from 'node:path'

import { fileProblem, KubeconfigError } from './kubeconfig-error.ts'
import type { FileReader } from './system-files.ts'

/** A cluster, context or user as its file spells it. Fields are checked when they are used, not before. */
export interface KubeconfigEntry {
  /** To begin an error with: `kubeconfig ~/x: user "dev"`. */
  readonly place: string
  /** Relative file references resolve against the folder of the file that names them. */
  readonly folder: string
  readonly fields: KubeconfigFields
}

export type KubeconfigFields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is KubeconfigFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An empty text counts as not set, as it does for kubectl. */
export function textField(entry: KubeconfigEntry, name: string): string | undefined {
  const value = entry.fields[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  throw new KubeconfigError(`${entry.place}: ${name} must be a text (put it in quotes)`)
}

export function flagField(entry: KubeconfigEntry, name: string): boolean {
  const value = entry.fields[name]
  if (value === undefined || value === null) return false
  if (typeof value === 'boolean') return value
  throw new KubeconfigError(`${entry.place}: ${name} must be true or false`)
}

/** A list of texts or of objects; not set is empty. */
export function listField(entry: KubeconfigEntry, name: string): readonly unknown[] {
  const value = entry.fields[name]
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value as readonly unknown[]
  throw new KubeconfigError(`${entry.place}: ${name} must be a list`)
}

export function isSet(entry: KubeconfigEntry, name: string): boolean {
  const value = entry.fields[name]
  return value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
}

export type PemKind = 'certificate' | 'private key'

const pemMarks: Readonly<Record<PemKind, RegExp>> = {
  certificate: /-----BEGIN CERTIFICATE-----/u,
  'private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----/u,
}

/** The PEM text that `NAME-data` holds, or the file that `NAME` points to. */
export async function pemField(
  entry: KubeconfigEntry,
  name: string,
  options: { kind: PemKind; files: FileReader },
): Promise<string | undefined> {
  const encoded = textField(entry, `${name}-data`)
  const path = textField(entry, name)
  if (encoded !== undefined && path !== undefined) {
    throw new KubeconfigError(`${entry.place}: has both ${name} and ${name}-data; keep one`)
  }
  if (encoded !== undefined)
    return checkPem(decodeBase64(entry, `${name}-data`, encoded), options.kind, () => {
      throw new KubeconfigError(`${entry.place}: ${name}-data does not hold a PEM ${options.kind}`)
    })
  if (path === undefined) return undefined
  const file = resolve(entry.folder, path)
  return checkPem(await readReferenced(entry, name, { file, files: options.files }), options.kind, () => {
    throw new KubeconfigError(`${entry.place}: ${name} ${file} does not hold a PEM ${options.kind}`)
  })
}

function checkPem(text: string, kind: PemKind, refuse: () => never): string {
  return pemMarks[kind].test(text) ? text : refuse()
}

async function readReferenced(
  entry: KubeconfigEntry,
  name: string,
  options: { file: string; files: FileReader },
): Promise<string> {
  try {
    return await options.files.readText(options.file)
  } catch (error) {
    throw new KubeconfigError(`${entry.place}: ${name} ${options.file} ${fileProblem(error)}`, { cause: error })
  }
}

/** Buffer would skip what it does not understand, and the mistake would surface much later, as a TLS error. */
function decodeBase64(entry: KubeconfigEntry, name: string, encoded: string): string {
  const compact = encoded.replaceAll(/\s/gu, '')
  if (compact.length % 4 !== 0 || !/^[\d+/A-Za-z]*={0,2}$/u.test(compact)) {
    throw new KubeconfigError(`${entry.place}: ${name} is not valid base64`)
  }
  return Buffer.from(compact, 'base64').toString('utf8')
}
