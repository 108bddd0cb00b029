import { join } from 'node:path'
import { stringify } from 'yaml'
import { featureGateDefaults } from '../src/api/feature-gates.ts'
import type { DeepReadonly, KubernetesObject } from '../src/api/kubernetes/meta.ts'
import { admissionObjects } from '../src/manager/admission-objects.ts'
import { definitions, installationObjects } from '../src/manager/install.ts'
import { installation } from '../src/manager/installation-names.ts'
import { serviceAddress } from '../src/manager/listener-serving.ts'
import { chartTemplates } from './chart-templates.ts'
import { keepGenerated, type GeneratedFile } from './generated-file.ts'

// Writes deploy/ from the builders in src; with --check only tells whether the files there are up to date.

const header = '# Generated from src by `make manifests`: edit there, not here.\n'

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
    ...Object.entries(chartTemplates(render)).map(([name, content]) => ({
      path: join(folder, 'chart', 'templates', 'generated', name),
      content: header + content,
    })),
  ]
}

function file(path: string, objects: Objects, comments: readonly string[] = []): GeneratedFile {
  return { path, content: header + comments.join('') + objects.map(render).join('---\n') }
}

function render(object: DeepReadonly<KubernetesObject>): string {
  return stringify(object, { lineWidth: 0, aliasDuplicateObjects: false, singleQuote: true })
}

if (import.meta.main) {
  process.chdir(join(import.meta.dirname, '..'))
  await keepGenerated(generateManifests('deploy'), process.argv.includes('--check'))
}
