import type { Transport } from '../../kube/client/transport.ts'
import { InstallationError } from './apply.ts'

/** ValidatingAdmissionPolicy, match conditions and selectable fields of CRDs are all there, and stable. */
const oldest = { major: 1, minor: 32 }

/** It is there, and Lifeboat cannot work with it. */
export class UnfitServerError extends InstallationError {
  readonly why: 'tooOld' | 'unauthorized' | 'silent' | 'failing'

  constructor(message: string, why: UnfitServerError['why']) {
    super(message)
    this.why = why
  }
}

/** `v1.37.1`. Throws an UnfitServerError for one that is too old. */
export async function checkServerVersion(transport: Transport, signal?: AbortSignal): Promise<string> {
  const { status, body } = await transport.request({
    method: 'GET',
    path: '/version',
    ...(signal === undefined ? {} : { signal }),
  })
  if (status === 401) throw new UnfitServerError('the API server does not accept your credentials', 'unauthorized')
  if (status !== 200) {
    // One that starts, or has too much to do, answers like this for a while.
    const why = status >= 500 || status === 429 ? 'failing' : 'silent'
    throw new UnfitServerError(`the API server does not tell its version: ${status} at /version`, why)
  }
  const { gitVersion = '' } = body as { gitVersion?: string }
  if (isNewEnough(gitVersion)) return gitVersion
  throw new UnfitServerError(
    `this is Kubernetes ${gitVersion === '' ? 'of an unknown version' : gitVersion}; Lifeboat needs 1.32 or newer`,
    'tooOld',
  )
}

export function isNewEnough(version: string): boolean {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  if (major === undefined) return false
  return Number(major) > oldest.major || (Number(major) === oldest.major && Number(minor) >= oldest.minor)
}
