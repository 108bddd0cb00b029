import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { Manifest } from '../src/api/kubernetes/meta.ts'
import { everyAdmissionObject } from '../src/manager/install/install.ts'
import { chartTemplates, gatesOf } from './chart-templates.ts'

const render = (object: Manifest) => stringify(object, { lineWidth: 0, singleQuote: true })
const templates = chartTemplates(render)

test('each object depends on the gates that bring it, and on no other', () => {
  const gates = everyAdmissionObject('anywhere').map((object) => [
    `${object.kind} ${object.metadata.name}`,
    gatesOf(object),
  ])
  const of = Object.fromEntries(gates) as Record<string, string[]>
  expect(of['ValidatingWebhookConfiguration lifeboat-admission-evictions']).toEqual([
    'EvacuationAPI',
    'EvictionInterception',
  ])
  expect(of['MutatingWebhookConfiguration lifeboat-admission-evacuations']).toEqual(['EvacuationAPI'])
  expect(of['MutatingWebhookConfiguration lifeboat-admission-daemon-set-pods']).toEqual([
    'EvacuationAPI',
    'DeclarativeNodeMaintenance',
    'NodeMaintenanceAwareDaemonSet',
  ])
  expect(of['ValidatingAdmissionPolicy lifeboat-evacuation-rights']).toEqual([])
  expect(of['ValidatingAdmissionPolicy lifeboat-evict-policy']).toEqual(['EvacuationAPI', 'PodEvictPolicy'])
})

describe('what Helm gets', () => {
  test('names the namespace of the release wherever there is one', () => {
    const all = Object.values(templates).join('')
    expect(all).not.toContain('lifeboat-system')
    expect(all).not.toContain('namespace-of-the-release')
    expect(all).toContain("'system:serviceaccount:{{ .Release.Namespace }}:lifeboat'")
  })

  test.each(['lifeboat-own-account', 'lifeboat-evacuation-rights'])('has %s, whatever its gates', (name) => {
    const all = (templates['policies.yaml'] ?? '').split('---\n')
    const [policy = '', binding = ''] = all.filter((text) => text.includes(`name: ${name}\n`))
    expect(policy).toContain('kind: ValidatingAdmissionPolicy\n')
    expect(binding).toContain('kind: ValidatingAdmissionPolicyBinding\n')
    for (const text of [policy, binding]) expect(text).not.toContain('.Values')
  })

  test('has the policy that makes time only where the API server knows the kind, with the timeout of the values', () => {
    const all = (templates['policies.yaml'] ?? '').split('---\n')
    const texts = all.filter((text) => text.includes('name: lifeboat-evict-time\n'))
    const kinds = ['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding']
    expect(texts.map((text) => text.split('\n')[0])).toEqual(
      kinds.map((kind) => `{{- if .Capabilities.APIVersions.Has "admissionregistration.k8s.io/v1/${kind}" }}`),
    )
    expect(texts[0]).toContain("'{{ .Values.controllerEvictTimeout }}'")
    expect(texts[0]).toContain('{{- if and .Values.featureGates.EvacuationAPI .Values.featureGates.PodEvictPolicy }}')
  })

  test('keeps the definitions only where that is asked for', () => {
    const kept = /\{\{- if \.Values\.crds\.keep \}\}\n +helm\.sh\/resource-policy: keep\n +\{\{- end \}\}/g
    expect(templates['crds.yaml']?.match(kept)).toHaveLength(2)
  })

  test('has every right to leave before the release is removed, and none after', () => {
    const text = templates['uninstall-rbac.yaml'] ?? ''
    const documents = text.split('---\n')
    expect(documents).toHaveLength(5)
    expect(documents.filter((one) => one.includes('helm.sh/hook: pre-delete'))).toHaveLength(5)
    expect(text).toMatch(/^\{\{- if \.Values\.uninstall\.release \}\}[\s\S]*\{\{- end \}\}\n$/)
  })

  test('reads nothing as its own that is not meant so', () => {
    expect(() => chartTemplates((object) => `${render(object)}# {{ .Values.x }}\n`)).toThrow('which Helm would read')
  })
})
