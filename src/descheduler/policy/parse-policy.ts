import { parseDocument, type ScalarTag } from 'yaml'
import { Fields, fromZero } from './fields.ts'
import { readLifeboatSection } from './lifeboat-section.ts'
import { readMetricsProviders } from './metrics-providers.ts'
import type { Limits, MetricsProviders, Policy, Profile } from './policy.ts'
import { Findings, type PolicyProblem } from './problem.ts'
import { readProfile } from './profile.ts'
import { readNodeSelector } from './selectors.ts'

/** Warnings tell what upstream passes over in silence. They come with problems, too: they may be the cause. */
export type ParsedPolicy =
  | { readonly policy: Policy; readonly warnings: readonly string[] }
  | { readonly problems: readonly PolicyProblem[]; readonly warnings: readonly string[] }

const evictionMessagePrefixesDefault: readonly string[] = ['Eviction triggered']

/** Takes the text of a policy file, in YAML or JSON. */
export function parsePolicy(text: string): ParsedPolicy {
  const findings = new Findings()
  const value = parseText(text, findings)
  const policy = value === undefined ? undefined : readPolicy(value, findings)
  const { problems, warnings } = findings
  return policy === undefined || problems.length > 0 ? { problems, warnings } : { policy, warnings }
}

const outsideProfiles = { profile: undefined, plugin: undefined } as const

/** Upstream's library reads these as in YAML 1.1. */
const oldBooleans: ScalarTag = {
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  identify: (value) => typeof value === 'boolean',
  test: /^(?:[yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$/u,
  resolve: (text) => /^(?:y|on)/iu.test(text),
}

function parseText(text: string, findings: Findings): unknown {
  const report = findings.at(outsideProfiles)
  const document = parseDocument(text, {
    merge: true,
    prettyErrors: false,
    customTags: (tags) => [oldBooleans, ...tags],
  })
  for (const { code, message, pos } of document.errors) {
    const before = text.slice(0, pos[0]).split('\n')
    const field = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
    const allowed = code === 'MULTIPLE_DOCS' ? 'a policy is one document' : message
    report.problem({ field, value: text.split('\n')[before.length - 1]?.trim() ?? '', allowed })
  }
  if (document.errors.length > 0) return undefined
  try {
    return document.toJS() ?? {}
  } catch (error) {
    // An alias without its anchor, or so many that the text would grow beyond measure.
    const allowed = error instanceof Error ? error.message : String(error)
    report.problem({ field: 'the policy', value: text, allowed })
    return undefined
  }
}

function readPolicy(value: unknown, findings: Findings): Policy {
  const fields = new Fields(value, { path: '', report: findings.at(outsideProfiles), unknownFields: 'warning' })
  readType(fields)
  const profiles = fields.objects('profiles').map((entry, index) => readProfile(entry, `profiles[${index}]`, findings))
  const metricsProviders = readMetricsProviders(fields)
  requireProviders(profiles, metricsProviders, findings)
  const policy = {
    nodeSelector: readNodeSelector(fields, 'nodeSelector'),
    limits: readLimits(fields),
    evictionFailureEventNotification: fields.flag('evictionFailureEventNotification') ?? false,
    gracePeriodSeconds: fields.integer('gracePeriodSeconds', fromZero),
    metricsProviders,
    evictionMessagePrefixes: fields.texts('evictionMessagePrefixes') ?? evictionMessagePrefixesDefault,
    profiles,
    lifeboat: readLifeboatSection(fields.strictObject('lifeboat')),
  }
  fields.reportUnknown()
  return policy
}

function readType(fields: Fields): void {
  for (const [name, only] of [
    ['apiVersion', 'descheduler/v1alpha2'],
    ['kind', 'DeschedulerPolicy'],
  ] as const) {
    fields.require(name, `must be ${only}`)
    fields.choice(name, [only])
  }
}

/** What the seed's fields and upstream's say of the same, the smaller limit rules. */
function readLimits(fields: Fields): Limits {
  const smallest = (...names: readonly string[]) => {
    const limits = names.flatMap((name) => fields.integer(name, fromZero) ?? [])
    return limits.length === 0 ? undefined : Math.min(...limits)
  }
  return {
    perNode: smallest('maxNoOfPodsToEvictPerNode', 'maxNoOfPodsEvacuationsPerNode'),
    perNamespace: smallest('maxNoOfPodsToEvictPerNamespace', 'maxNoOfPodsEvacuationsPerNamespace'),
    total: smallest('maxNoOfPodsToEvictTotal'),
  }
}

/** A plugin that reads metrics needs where to read them from. Upstream reports it when it builds the plugin. */
function requireProviders(profiles: readonly Profile[], providers: MetricsProviders, findings: Findings): void {
  const has = { KubernetesMetrics: providers.kubernetesMetrics, Prometheus: providers.prometheus !== undefined }
  for (const [index, { name, balance }] of profiles.entries()) {
    for (const plugin of balance) {
      const source = plugin.name === 'LowNodeUtilization' ? plugin.args.metricsUtilization?.source : undefined
      if (source === undefined || has[source]) continue
      findings.at({ profile: name === '' ? `profiles[${index}]` : name, plugin: plugin.name }).problem({
        field: 'args.metricsUtilization.source',
        value: source,
        allowed: `needs an entry in metricsProviders with the source ${source}`,
      })
    }
  }
}
