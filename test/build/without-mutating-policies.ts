import type { Transport } from '../../src/kube/client/transport.ts'

const unknown = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolic'

/** As an API server before 1.36 answers: it does not know MutatingAdmissionPolicies at all. */
export function withoutMutatingPolicies(transport: Transport): Transport {
  return {
    request: async (request) => {
      if (!request.path.startsWith(unknown)) return transport.request(request)
      return { status: 404, headers: {}, body: '404 page not found\n' }
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  }
}
