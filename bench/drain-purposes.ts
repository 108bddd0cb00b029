import { countBy, type SeenRequest } from './request-log.ts'

/** What Lifeboat asks the API server for in a drain. A request that is not here serves nothing that we know of. */
const purposes: Readonly<Record<string, string>> = {
  'create evacuations': 'asks for a pod to leave',
  'patch evacuations/status': 'gives an evacuator its turn, or reports',
  'patch pods': 'releases a pod, so that its replacement starts',
  'create pods/eviction': 'evicts a pod',
  'patch evacuations': 'joins, holds or ends an Evacuation',
  'delete evacuations': 'removes an Evacuation whose pod is gone',
  'deletecollection evacuations': 'removes Evacuations whose pods are gone',
  'create events': 'says what a person must know',
  'patch events': 'says that it happened again',
  'patch nodes': 'cordons a node, and says how far it is',
  'patch nodemaintenances': 'holds a NodeMaintenance',
  'patch nodemaintenances/status': 'says how far the drain is',
  'create nodemaintenances': 'begins',
  'create subjectaccessreviews': 'asks whether a user may do this',
}

export interface PurposeLine {
  readonly what: string
  readonly perPod: number
}

/** Below it a request is not worth a line. */
const perPodShown = 0.005

/** What each request was for, the most frequent first. */
export function requestLines(requests: readonly SeenRequest[], pods: number): PurposeLine[] {
  const counts = countBy(
    requests,
    ({ verb, resource, code }) => `${verb} ${resource}${code >= 400 ? ` (${code})` : ''}`,
  )
  return [...counts]
    .map(([name, count]) => ({ what: `${name}: ${purposeOf(name)}`, perPod: count / pods }))
    .filter(({ perPod }) => perPod >= perPodShown)
}

function purposeOf(name: string): string {
  const [verb = '', resource = ''] = name.split(' ')
  const known = purposes[`${verb} ${resource}`]
  if (known !== undefined) return known
  if (verb === 'get' || verb === 'list') return 'looks what is there'
  return verb === 'watch' ? 'follows changes' : 'unknown'
}
