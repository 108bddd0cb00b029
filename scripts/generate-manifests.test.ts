import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { customResourceDefinitions } from '../src/api/custom-resource-definitions.ts'
import { driftedFiles, generateManifests } from './generate-manifests.ts'

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

test('each file has its objects, all of them labelled', () => {
  const kinds = generateManifests('').map(({ path, content }) => {
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
    ],
    'webhooks.yaml': [
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
    ],
  })
})

test('webhooks in a cluster are behind a Service, and their certificate is left to Lifeboat', () => {
  const { content } = generateManifests('').find(({ path }) => path === 'webhooks.yaml') ?? { content: '' }
  expect(content).toContain('name: lifeboat-webhook')
  expect(content).not.toContain('url:')
  expect(content).not.toContain('caBundle:')
})

test('a file that is missing or changed has drifted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-manifests-'))
  try {
    const files = generateManifests(folder)
    const paths = files.map(({ path }) => path)
    expect(await driftedFiles(files)).toEqual(paths)
    for (const { path, content } of files) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    }
    expect(await driftedFiles(files)).toEqual([])
    await writeFile(paths[0] ?? '', 'kind: Nothing\n')
    expect(await driftedFiles(files)).toEqual([paths[0]])
  } finally {
    await rm(folder, { recursive: true })
  }
})
