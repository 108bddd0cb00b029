import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { createHelm, renderPlainManifests } from '../test/cluster/helm.ts'

// Writes deploy/lifeboat.yaml, which is what the chart makes of its default values, and for `lifeboat install` those of
// its objects that only the chart has. It takes Helm, which is built from source where there is Go; test/real/install-chart.test.ts sees to it that it is done.

const header = '# Generated from deploy/chart by `make manifests`: edit there, not here.\n'

export const plainManifests = (rendered: string): string => header + rendered

export function objectsIn(manifests: string): unknown[] {
  return parseAllDocuments(manifests)
    .map((document) => document.toJS() as unknown)
    .filter((object) => object !== null)
}

/** What runs Lifeboat; all the rest follows from src. */
const workloadKinds = ['Namespace', 'PriorityClass', 'PodDisruptionBudget', 'NetworkPolicy', 'Service', 'Deployment']

export function workloadManifests(manifests: string): string {
  const objects = objectsIn(manifests) as { kind: string }[]
  const workload = workloadKinds.flatMap((kind) => objects.filter((object) => object.kind === kind))
  return `${JSON.stringify(workload, undefined, 2)}\n`
}

if (import.meta.main) {
  process.chdir(join(import.meta.dirname, '..'))
  const manifests = plainManifests(await renderPlainManifests(await createHelm()))
  await writeFile('deploy/lifeboat.yaml', manifests)
  await writeFile('src/manager/manifests/workload.json', workloadManifests(manifests))
}
