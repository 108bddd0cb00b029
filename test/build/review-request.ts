import type { AdmissionRequest } from '../../src/admission/reviews/admission-request.ts'
import { evacuationName } from '../../src/api/evacuation/evacuation-name.ts'
import type { Pod } from '../../src/api/kubernetes/core.ts'
import type { NamespacedMeta } from '../../src/api/kubernetes/meta.ts'
import { apiVersionOfEvacuation } from '../../src/api/names.ts'
import { stored } from './stored.ts'

export const podUid = 'f5823a89-e03f-4752-b013-445643b8c7a0'
export const otherUid = '11111111-2222-4333-8444-555555555555'

/** Joe creates something in the namespace `shop`, or whatever is said instead. */
export function buildReviewRequest(extra: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    uid: 'review',
    operation: 'CREATE',
    resource: { group: '', resource: '' },
    subResource: '',
    name: 'web',
    namespace: 'shop',
    userInfo: { username: 'joe', groups: ['editors'], extra: {} },
    dryRun: false,
    object: undefined,
    oldObject: undefined,
    ...extra,
  }
}

/** The Evacuation of the pod `web`. */
export function buildEvacuationOfWeb(
  extra: { metadata?: object; spec?: object; status?: object } = {},
): Record<string, unknown> {
  return {
    apiVersion: apiVersionOfEvacuation,
    kind: 'Evacuation',
    metadata: {
      name: evacuationName({ name: 'web', uid: podUid }),
      namespace: 'shop',
      finalizers: ['evacuation.coordination.k8s.io/instigator_test.example.com'],
      ...extra.metadata,
    },
    spec: { podRef: { name: 'web', uid: podUid }, progressDeadlineSeconds: 1_800, ...extra.spec },
    ...(extra.status === undefined ? {} : { status: extra.status }),
  }
}

export function buildWeb(metadata: Partial<NamespacedMeta> = {}, extra: Omit<Pod, 'metadata'> = {}): Pod {
  return stored({ metadata: { name: 'web', namespace: 'shop', uid: podUid, ...metadata }, ...extra })
}
