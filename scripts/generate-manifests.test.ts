import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { customResourceDefinitions } from '../src/api/schema/custom-resource-definitions.ts'
import { generateManifests } from './generate-manifests.ts'
import { driftedFiles } from './generated-file.ts'

const objectsIn = (content: string) => parseAllDocuments(content).map((document) => document.toJS() as unknown)

test('the files in deploy are what src says', async () => {
  expect(await driftedFiles(generateManifests(join(import.meta.dirname, '..', 'deploy')))).toEqual([])
})

test('what is written of the CRDs reads back as what was meant', () => {
  const read = generateManifests('')
    .filter(({ path }) => path.startsWith('crds'))
    .flatMap(({ content }) => objectsIn(content))
  const meant = JSON.parse(JSON.stringify(customResourceDefinitions())) as { spec: unknown }[]
  expect(read).toMatchObject(meant)
  expect(read.map((object) => (object as { spec: unknown }).spec)).toEqual(meant.map(({ spec }) => spec))
})

/** Those of the chart are templates, which test/real/install-chart.test.ts has Helm render. */
const plainFiles = () => generateManifests('').filter(({ path }) => !path.startsWith('chart'))

test('each file has its objects, all of them labelled', () => {
  const kinds = plainFiles().map(({ path, content }) => {
    const objects = objectsIn(content) as { kind: string; metadata: { labels: Record<string, string> } }[]
    expect(objects.map(({ metadata }) => metadata.labels['app.kubernetes.io/managed-by'])).toEqual(
      objects.map(() => 'lifeboat'),
    )
    return [path, objects.map(({ kind }) => kind)]
  })
  expect(Object.fromEntries(kinds)).toEqual({
    'crds/evacuations.evacuation.coordination.k8s.io.yaml': ['CustomResourceDefinition'],
    'crds/nodemaintenances.nodemaintenance.k8s.io.yaml': ['CustomResourceDefinition'],
    'rbac.yaml': ['Namespace', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
    'policies.yaml': [
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
    ],
    'evict-time-policy.yaml': ['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'],
    'webhooks.yaml': [
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
      'MutatingWebhookConfiguration',
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
      'MutatingWebhookConfiguration',
    ],
  })
})

test('webhooks are left to Lifeboat: manifests say nothing that Helm could put back', () => {
  const { content } = generateManifests('').find(({ path }) => path === 'webhooks.yaml') ?? { content: '' }
  expect(objectsIn(content).map((object) => Object.keys(object as object))).toEqual(
    Array.from({ length: 6 }, () => ['apiVersion', 'kind', 'metadata']),
  )
})
