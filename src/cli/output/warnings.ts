import { withoutBreaks } from '../../kube/auth/kubeconfig-error.ts'
import type { Transport, TransportResponse } from '../../kube/client/transport.ts'

/** `299 - "all nodes are selected"`, several of them with commas between. */
const warning = /\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/gu

export function parseWarnings(header: TransportResponse['headers'][string]): string[] {
  if (header === undefined) return []
  // Bytes of UTF-8, as clients of Kubernetes read them.
  const text = Buffer.from([header].flat().join(', '), 'latin1').toString('utf8')
  return Array.from(text.matchAll(warning), ([, quoted = '']) => withoutBreaks(quoted.replaceAll(/\\(.)/gu, '$1')))
}

/** What the cluster has to say about a write beside its answer is told, each once, as kubectl does. */
export function tellingWarnings(transport: Transport, tell: (warning: string) => void): Transport {
  const told = new Set<string>()
  return {
    request: async (request) => {
      const response = await transport.request(request)
      for (const text of parseWarnings(response.headers['warning'])) {
        if (!told.has(text)) tell(text)
        told.add(text)
      }
      return response
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  }
}
