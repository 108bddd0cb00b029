import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { Manifest } from '../src/api/kubernetes/meta.ts'
import { deschedulerTemplate } from './chart-descheduler.ts'

const template = deschedulerTemplate((object: Manifest) => stringify(object, { lineWidth: 0, singleQuote: true }))

/** The lines between a condition and the next `end`, as often as there are any. */
const under = (condition: string) =>
  template
    .split(`{{- if ${condition} }}\n`)
    .slice(1)
    .map((text) => text.split('{{- end }}')[0] ?? '')

test('nothing of it is there unless it is wanted', () => {
  expect(template).toMatch(/^\{\{- if \(\.Values\.descheduler\)\.enabled \}\}\n[\s\S]*\{\{- end \}\}\n$/)
})

test.each([
  { right: 'the Lease', needs: 'eq .Values.descheduler.kind "Deployment"', words: ['leases'] },
  { right: 'metrics.k8s.io', needs: 'include "lifeboat.deschedulerMeasures" .', words: ['metrics.k8s.io'] },
  {
    right: 'creating Evacuations, and what that takes',
    needs: 'and (not .Values.descheduler.dryRun) (eq .Values.descheduler.mode "evacuate")',
    words: ['- evacuations', '- delete', 'name: lifeboat-descheduler-account'],
  },
  {
    right: 'evicting, and telling of it',
    needs: 'not .Values.descheduler.dryRun',
    words: ['pods/eviction', '- events'],
  },
])('$right is granted only if $needs', ({ needs, words }) => {
  const found = under(needs).join('')
  expect(words.filter((word) => !found.includes(word))).toEqual([])
})

test('no condition stands in the middle of a document without rules', () => {
  const lines = template.split('\n')
  const conditions = lines.filter((line) => line.includes('{{- if'))
  expect(conditions).toHaveLength(lines.filter((line) => line === '{{- end }}').length)
  expect(conditions.filter((line) => !line.startsWith('{{- if'))).toEqual([])
})

test('the account limited by the policy is the one that the roles are bound to', () => {
  expect(template).toContain("'system:serviceaccount:{{ .Release.Namespace }}:lifeboat-descheduler'")
  const [ofController = '', ofAccount = ''] = template.split('{{- else }}')
  expect(ofAccount.match(/name: lifeboat-descheduler\n/g)).toHaveLength(9)
  // Four objects, and two references to roles; the subject is the account of the controller.
  expect(ofController.match(/name: lifeboat-descheduler\n/g)).toHaveLength(6)
  expect(ofController.match(/ {4}name: lifeboat\n/g)).toHaveLength(2)
  expect(ofController).not.toContain('ServiceAccount\nmetadata')
})
