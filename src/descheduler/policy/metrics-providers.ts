import { metricsSources } from './balance-args.ts'
import { mustBeOneOf, type Fields } from './fields.ts'
import type { MetricsProviders, PrometheusProvider } from './policy.ts'

/** From `metricsProviders` and from `metricsCollector`, which is the older word for KubernetesMetrics. */
export function readMetricsProviders(policy: Fields): MetricsProviders {
  const sources = new Set<string>()
  let prometheus: PrometheusProvider | undefined
  for (const provider of policy.objects('metricsProviders')) {
    provider.require('source', mustBeOneOf(metricsSources))
    const source = provider.choice('source', metricsSources)
    const section = provider.object('prometheus')
    if (source === undefined) continue
    if (sources.has(source)) provider.wrong('source', 'must be there only once')
    sources.add(source)
    if (source === 'Prometheus') prometheus = readPrometheus(provider, section)
  }
  const collector = policy.object('metricsCollector')
  const isCollecting = collector?.flag('enabled') ?? false
  if (isCollecting && sources.has('KubernetesMetrics')) {
    collector?.wrong('enabled', 'must be left out beside metricsProviders with KubernetesMetrics')
  }
  return { kubernetesMetrics: isCollecting || sources.has('KubernetesMetrics'), prometheus }
}

function readPrometheus(provider: Fields, section: Fields | undefined): PrometheusProvider {
  const mustBeUrl = 'must be an absolute URL with http or https'
  const url = section?.text('url')
  if (section === undefined) provider.problem(provider.pathOf('prometheus', 'url'), undefined, mustBeUrl)
  else if (!isHttpUrl(url)) section.wrong('url', mustBeUrl)
  const token = section?.object('authToken')
  return { url: url ?? '', authToken: token === undefined ? undefined : readSecretReference(token) }
}

function isHttpUrl(text: string | undefined): boolean {
  const url = text === undefined ? null : URL.parse(text)
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== ''
}

function readSecretReference(token: Fields): { readonly namespace: string; readonly name: string } {
  const reference = token.object('secretReference')
  if (reference === undefined) token.wrong('secretReference', 'must have namespace and name')
  reference?.require('namespace', 'must be the namespace of a secret')
  reference?.require('name', 'must be the name of a secret')
  return { namespace: reference?.text('namespace') ?? '', name: reference?.text('name') ?? '' }
}
