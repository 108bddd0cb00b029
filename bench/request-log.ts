import { createReadStream } from 'node:fs'
import { appendFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A request as the API server saw it. */
export interface SeenRequest {
  readonly userAgent: string
  /** Of Kubernetes: get, list, watch, create, update, patch, delete. */
  readonly verb: string
  /** With its subresource, as in `pods/eviction`; the path where it is no resource. */
  readonly resource: string
  readonly code: number
  readonly atMs: number
}

/** Every request of clients, by the API server's audit log: what components of the cluster ask is left out. */
export interface RequestLog extends AsyncDisposable {
  readonly apiServerFlags: readonly string[]
  /** What comes from here on, when read later. */
  mark(): Promise<number>
  since(mark: number): Promise<SeenRequest[]>
}

const componentUsers = ['system:kube-controller-manager', 'system:kube-scheduler', 'system:apiserver', 'kwok']

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', users: componentUsers },
    { level: 'None', userGroups: ['system:serviceaccounts:kube-system'] },
    { level: 'Metadata' },
  ],
}

const fileSizeMaxMegabytes = 10_000

export async function openRequestLog(): Promise<RequestLog> {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-requests-'))
  const policyPath = join(folder, 'policy.json')
  const logPath = join(folder, 'requests.log')
  await writeFile(policyPath, JSON.stringify(policy))
  await appendFile(logPath, '')
  return {
    apiServerFlags: [
      `--audit-policy-file=${policyPath}`,
      `--audit-log-path=${logPath}`,
      // Never begun anew: a mark is a place in this one file.
      `--audit-log-maxsize=${fileSizeMaxMegabytes}`,
    ],
    mark: async () => (await stat(logPath)).size,
    since: async (mark) => parseRequests(createInterface({ input: createReadStream(logPath, { start: mark }) })),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

interface AuditEvent {
  readonly auditID: string
  readonly verb: string
  readonly userAgent?: string
  readonly requestURI: string
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string }
  readonly responseStatus?: { readonly code?: number }
  readonly requestReceivedTimestamp: string
}

/** A watch is told when it begins and when it ends, and counts once. */
export async function parseRequests(lines: AsyncIterable<string> | Iterable<string>): Promise<SeenRequest[]> {
  const seen = new Map<string, SeenRequest>()
  for await (const line of lines) {
    if (line === '') continue
    const event = JSON.parse(line) as AuditEvent
    if (!seen.has(event.auditID)) seen.set(event.auditID, requestOf(event))
  }
  return [...seen.values()]
}

function requestOf({ verb, userAgent, requestURI, objectRef, ...event }: AuditEvent): SeenRequest {
  const { resource = requestURI.split('?')[0] ?? '', subresource } = objectRef ?? {}
  return {
    userAgent: userAgent ?? '',
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    code: event.responseStatus?.code ?? 0,
    atMs: Date.parse(event.requestReceivedTimestamp),
  }
}

/** How many requests there were of each name, the most frequent first. */
export function countBy(
  requests: readonly SeenRequest[],
  nameOf: (request: SeenRequest) => string,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const request of requests) counts.set(nameOf(request), (counts.get(nameOf(request)) ?? 0) + 1)
  return new Map([...counts].toSorted(([, one], [, other]) => other - one))
}
