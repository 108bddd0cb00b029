import { describe, expect, test } from 'vitest'
import { parsedPolicy, policyText, problemsIn } from '../../../test/build/descheduler-policy.ts'

const token = '{ secretReference: { namespace: monitoring, name: token } }'

describe('metrics are read', () => {
  test.each([
    { name: 'from nowhere', text: '', expected: { kubernetesMetrics: false, prometheus: undefined } },
    {
      name: 'from Kubernetes',
      text: 'metricsProviders: [{ source: KubernetesMetrics }]',
      expected: { kubernetesMetrics: true, prometheus: undefined },
    },
    {
      name: 'from Kubernetes in the words of before',
      text: 'metricsCollector: { enabled: true }',
      expected: { kubernetesMetrics: true, prometheus: undefined },
    },
    {
      name: 'from Kubernetes beside a collector that is off',
      text: 'metricsProviders: [{ source: KubernetesMetrics }]\nmetricsCollector: { enabled: false }',
      expected: { kubernetesMetrics: true, prometheus: undefined },
    },
    {
      name: 'from both, one by the words of before',
      text: 'metricsProviders: [{ source: Prometheus, prometheus: { url: "https://p:9090/x" } }]\nmetricsCollector: { enabled: true }',
      expected: { kubernetesMetrics: true, prometheus: { url: 'https://p:9090/x', authToken: undefined } },
    },
    {
      name: 'from Prometheus with a token',
      text: `metricsProviders: [{ source: Prometheus, prometheus: { url: "https://example.com:80", authToken: ${token} } }]`,
      expected: {
        kubernetesMetrics: false,
        prometheus: { url: 'https://example.com:80', authToken: { namespace: 'monitoring', name: 'token' } },
      },
    },
  ])('$name', ({ text, expected }) => {
    expect(parsedPolicy(policyText(text)).metricsProviders).toStrictEqual(expected)
  })
})

const mustBeUrl = 'must be an absolute URL with http or https'
const prometheus = (section: string) => `metricsProviders: [{ source: Prometheus, prometheus: ${section} }]`
describe('metrics are not read', () => {
  test.each([
    {
      name: 'from a source twice',
      text: 'metricsProviders: [{ source: KubernetesMetrics }, { source: KubernetesMetrics }]',
      expected: ['metricsProviders[1].source is "KubernetesMetrics": must be there only once'],
    },
    {
      name: 'from Kubernetes by both words',
      text: 'metricsProviders: [{ source: KubernetesMetrics }]\nmetricsCollector: { enabled: true }',
      expected: ['metricsCollector.enabled is true: must be left out beside metricsProviders with KubernetesMetrics'],
    },
    {
      name: 'from an unknown source',
      text: 'metricsProviders: [{ source: kubernetesMetrics }]',
      expected: ['metricsProviders[0].source is "kubernetesMetrics": must be one of KubernetesMetrics, Prometheus'],
    },
    {
      name: 'from no source',
      text: 'metricsProviders: [{}]',
      expected: ['metricsProviders[0].source is missing: must be one of KubernetesMetrics, Prometheus'],
    },
    {
      name: 'from a list of words',
      text: 'metricsProviders: [KubernetesMetrics]',
      expected: [
        'metricsProviders[0] is "KubernetesMetrics": must be an object',
        'metricsProviders[0].source is missing: must be one of KubernetesMetrics, Prometheus',
      ],
    },
    {
      name: 'from Prometheus nowhere',
      text: 'metricsProviders: [{ source: Prometheus }]',
      expected: [`metricsProviders[0].prometheus.url is missing: ${mustBeUrl}`],
    },
    {
      name: 'from an empty URL',
      text: prometheus('{ url: "" }'),
      expected: [`metricsProviders[0].prometheus.url is "": ${mustBeUrl}`],
    },
    {
      name: 'from a URL with a bad port',
      text: prometheus('{ url: "http://example.com:-80" }'),
      expected: [`metricsProviders[0].prometheus.url is "http://example.com:-80": ${mustBeUrl}`],
    },
    {
      name: 'from a URL of files',
      text: prometheus('{ url: "file:///metrics" }'),
      expected: [`metricsProviders[0].prometheus.url is "file:///metrics": ${mustBeUrl}`],
    },
    {
      name: 'with a token of no secret',
      text: prometheus('{ url: "https://p", authToken: {} }'),
      expected: ['metricsProviders[0].prometheus.authToken.secretReference is missing: must have namespace and name'],
    },
    {
      name: 'with a secret without namespace and name',
      text: prometheus('{ url: "https://p", authToken: { secretReference: {} } }'),
      expected: [
        'metricsProviders[0].prometheus.authToken.secretReference.namespace is missing: must be the namespace of a secret',
        'metricsProviders[0].prometheus.authToken.secretReference.name is missing: must be the name of a secret',
      ],
    },
    {
      name: 'with a secret without its namespace',
      text: prometheus('{ url: "https://p", authToken: { secretReference: { name: token } } }'),
      expected: [
        'metricsProviders[0].prometheus.authToken.secretReference.namespace is missing: must be the namespace of a secret',
      ],
    },
    {
      name: 'by a collector that is on in another word',
      text: 'metricsCollector: { enabled: "on" }',
      expected: ['metricsCollector.enabled is "on": must be true or false'],
    },
  ])('$name', ({ text, expected }) => expect(problemsIn(policyText(text))).toEqual(expected))
})
