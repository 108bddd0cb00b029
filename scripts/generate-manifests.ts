import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Manifest } from '../src/api/kubernetes/meta.ts'
import { isMutatingPolicy, isWebhookConfiguration, withoutWebhooks } from '../src/manager/register/admission-objects.ts'
import { definitions, everyAdmissionObject, installationObjects } from '../src/manager/install/install.ts'
import { installation } from '../src/manager/install/installation-names.ts'
import { chartTemplates } from './chart-templates.ts'
import { keepGenerated, type GeneratedFile } from './generated-file.ts'

// Writes deploy/ from the builders in src; with --check only tells whether the files there are up to date.

const header = '# Generated from src by `make manifests`: edit there, not here.\n'

type Objects = readonly Manifest[]

export function generateManifests(folder: string): GeneratedFile[] {
  const { namespace } = installation
  const wanted = everyAdmissionObject(namespace).map(withoutWebhooks)
  return [
    ...definitions().map((definition) => file(join(folder, 'crds', `${definition.metadata.name}.yaml`), [definition])),
    file(join(folder, 'rbac.yaml'), installationObjects(namespace).slice(definitions().length)),
    file(
      join(folder, 'policies.yaml'),
      wanted.filter((object) => !isWebhookConfiguration(object) && !isMutatingPolicy(object)),
    ),
    file(join(folder, 'evict-time-policy.yaml'), wanted.filter(isMutatingPolicy), [
      '# For Kubernetes 1.36 and newer, beside lifeboat.yaml: makes time for controllers without a webhook.\n',
      '# Lifeboat finds it within a minute, and takes back its webhook for this.\n',
    ]),
    file(join(folder, 'webhooks.yaml'), wanted.filter(isWebhookConfiguration), [
      '# The replica that leads fills in the webhooks: their paths have a secret component, which is renewed with the\n',
      '# certificates. A list given here would be put back at each upgrade.\n',
    ]),
    ...Object.entries(chartTemplates(render, header)).map(([name, content]) => ({
      path: join(folder, 'chart', 'templates', 'generated', name),
      content,
    })),
  ]
}

function file(path: string, objects: Objects, comments: readonly string[] = []): GeneratedFile {
  return { path, content: header + comments.join('') + objects.map(render).join('---\n') }
}

function render(object: Manifest): string {
  return stringify(object, { lineWidth: 0, aliasDuplicateObjects: false, singleQuote: true })
}

if (import.meta.main) {
  process.chdir(join(import.meta.dirname, '..'))
  await keepGenerated(generateManifests('deploy'), process.argv.includes('--check'))
}
