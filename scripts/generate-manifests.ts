import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { featureGateDefaults } from '../src/api/feature-gates.ts'
import type { DeepReadonly, KubernetesObject } from '../src/api/kubernetes/meta.ts'
import { admissionObjects } from '../src/manager/admission-objects.ts'
import { definitions, installationObjects } from '../src/manager/install.ts'
import { installation } from '../src/manager/installation-names.ts'
import { serviceAddress } from '../src/manager/listener-serving.ts'

// Writes deploy/ from the builders in src; with --check only tells whether the files there are up to date.

const header = '# Generated from src by `make manifests`: edit there, not here.\n'

export interface GeneratedFile {
  readonly path: string
  readonly content: string
}

type Objects = readonly DeepReadonly<KubernetesObject>[]

export function generateManifests(folder: string): GeneratedFile[] {
  const { namespace, webhookService } = installation
  const address = serviceAddress(namespace, webhookService)
  const client = (path: string) => address(path, 0) as ReturnType<typeof address> & { caBundle: string }
  const { wanted } = admissionObjects({ gates: featureGateDefaults, namespace, client })
  const isWebhook = (object: DeepReadonly<KubernetesObject>) => 'webhooks' in object
  return [
    ...definitions().map((definition) => file(join(folder, 'crds', `${definition.metadata.name}.yaml`), [definition])),
    file(join(folder, 'rbac.yaml'), installationObjects(namespace).slice(definitions().length)),
    file(
      join(folder, 'policies.yaml'),
      wanted.filter((object) => !isWebhook(object)),
    ),
    file(join(folder, 'webhooks.yaml'), wanted.filter(isWebhook), [
      '# Who leads among the replicas writes the caBundle, which changes whenever the certificates do.\n',
    ]),
  ]
}

function file(path: string, objects: Objects, comments: readonly string[] = []): GeneratedFile {
  const documents = objects.map((object) =>
    stringify(object, { lineWidth: 0, aliasDuplicateObjects: false, singleQuote: true }),
  )
  return { path, content: header + comments.join('') + documents.join('---\n') }
}

export async function driftedFiles(files: readonly GeneratedFile[]): Promise<string[]> {
  const contents = await Promise.all(files.map(({ path }) => readFile(path, 'utf8').catch(() => undefined)))
  return files.filter(({ content }, index) => content !== contents[index]).map(({ path }) => path)
}

async function main(check: boolean): Promise<void> {
  const files = generateManifests('deploy')
  if (!check) {
    for (const { path, content } of files) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    }
    return
  }
  for (const path of await driftedFiles(files)) {
    console.error(`${path} is not what src says: run \`make manifests\``)
    process.exitCode = 1
  }
}

if (import.meta.main) {
  process.chdir(join(import.meta.dirname, '..'))
  await main(process.argv.includes('--check'))
}
