import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { nodeOptions } from '../bench/descheduler-process.ts'
import packageJson from '../package.json' with { type: 'json' }
import { chartValues } from '../scripts/chart-values.ts'
import { agentImageReference, imageReference } from '../scripts/build-image.ts'
import { objectsIn, workloadManifests } from '../scripts/render-chart.ts'
import { featureGateDefaults } from '../src/api/feature-gates.ts'
import { addAgent } from '../src/cli/commands/agent-flags.ts'
import { addDescheduler } from '../src/cli/commands/descheduler-flags.ts'
import { addController } from '../src/cli/commands/process-flags.ts'
import type { World } from '../src/cli/program.ts'
import { parsePolicy } from '../src/descheduler/policy/parse-policy.ts'
import {
  everyAdmissionObject,
  everyObject,
  installationObjects,
  workloadObjects,
} from '../src/manager/install/install.ts'
import { installation, replicaLabels } from '../src/manager/install/installation-names.ts'

// The chart, its documentation, the plain manifests and the code say the same. What takes Helm to see is in test/real.

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFile(join(root, path), 'utf8')
const values = await read('deploy/chart/values.yaml')
const manifests = await read('deploy/lifeboat.yaml')

test('the descheduler runs with the memory that it is measured with', async () => {
  const template = await read('deploy/chart/templates/_descheduler.tpl')
  expect(/name: NODE_OPTIONS\n +value: (.*)/.exec(template)?.[1]).toBe(nodeOptions.join(' '))
})

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: unknown
}

describe('values', () => {
  test('each has a comment, and its row in docs/install.md', async () => {
    const documented = chartValues(values)
    expect(documented.filter(({ description }) => description === '')).toEqual([])
    const rows = (await read('docs/install.md')).matchAll(/^\| `([^`]+)` +\| `([^`]*)` +\| (.*?) +\|$/gm)
    const told = Array.from(rows, ([, path, value, description]) => ({ path, default: value, description }))
    expect(told).toEqual(documented)
  })

  test('the schema knows them all, and no others', async () => {
    const schema = JSON.parse(await read('deploy/chart/values.schema.json')) as Schema
    const { global: _global, ...known } = schema.properties ?? {}
    expect(namesOf({ properties: known })).toEqual(expect.arrayContaining(chartValues(values).map(({ path }) => path)))
    expect(Object.keys(known).toSorted()).toEqual(Object.keys(parse(values) as object).toSorted())
    expect(schema.additionalProperties).toBe(false)
  })

  test('gates are those of the code, with their defaults', () => {
    expect((parse(values) as { featureGates: object }).featureGates).toEqual(featureGateDefaults)
  })
})

describe('the descheduler', () => {
  const { policy } = (parse(values) as { descheduler: { policy: object } }).descheduler

  test('has a policy that is right as it comes, and no part of it is without effect', () => {
    expect(parsePolicy(stringify(policy))).toMatchObject({ policy: expect.anything(), warnings: [] })
  })

  test('may have every field of a policy that there is, and no other', async () => {
    const { definitions } = JSON.parse(await read('deploy/chart/values.schema.json')) as {
      definitions: { deschedulerPolicy: Schema }
    }
    const { properties = {}, additionalProperties } = definitions.deschedulerPolicy
    const everyField = Object.fromEntries(Object.keys(properties).map((name) => [name, null]))
    expect(parsePolicy(stringify({ ...everyField, ...policy })).warnings).toEqual([])
    expect(additionalProperties).toBe(false)
    const source = await read('src/descheduler/policy/parse-policy.ts')
    const known = Array.from(
      source.matchAll(/'((?:maxNoOf|eviction|grace|node|metrics|profiles)\w*)'/g),
      ([, it]) => it,
    )
    expect(known.filter((name) => name !== undefined && !(name in properties))).toEqual([])
  })

  test('is called with flags that it has', async () => {
    const program = new Command()
    addDescheduler(program, {} as World)
    const known = new Set(program.commands.flatMap(({ options }) => options.map(({ long }) => long)))
    const template = await read('deploy/chart/templates/_descheduler.tpl')
    const ofNode = new Set(nodeOptions.map((option) => option.split('=')[0]))
    const used = (template.match(/--[a-z-]{2,}/g) ?? []).filter((flag) => !ofNode.has(flag))
    expect(used.length).toBeGreaterThan(7)
    expect(used.filter((flag) => !known.has(flag))).toEqual([])
  })

  test('is switched on within the controller with flags that it has', async () => {
    const program = new Command()
    addController(program, {} as World)
    const known = new Set(program.commands.flatMap(({ options }) => options.map(({ long }) => long)))
    const used = (await read('deploy/chart/templates/deployment.yaml')).match(/--[a-z-]{2,}/g) ?? []
    expect(used).toContain('--descheduler-policy')
    expect(used.filter((flag) => !known.has(flag))).toEqual([])
  })
})

describe('the node agent', () => {
  const flagsOf = (add: (program: Command, world: World) => void) => {
    const program = new Command()
    add(program, {} as World)
    return new Set(program.commands.flatMap(({ options }) => options.map(({ long }) => long)))
  }
  const used = (text: string) => text.match(/--[a-z-]{2,}/g) ?? []

  test('is called with flags that it has', async () => {
    // The lock beside it is a program of systemd.
    const [agent = ''] = (await read('deploy/chart/templates/agent.yaml')).split('- name: lock')
    const known = flagsOf(addAgent)
    expect(used(agent)).toEqual(expect.arrayContaining(['--shutdown', '--shutdown-budget', '--shutdown-lead-time']))
    expect(used(agent).filter((flag) => !known.has(flag))).toEqual([])
  })

  test('is made known to the controller with flags that it has', async () => {
    const flags = used(await read('deploy/chart/templates/_agent.tpl')).filter((flag) => flag !== '--reuse-values')
    const known = flagsOf(addController)
    expect(flags).toEqual(['--complete-after-reboot', '--shutdown-pod-priorities'])
    expect(flags.filter((flag) => !known.has(flag))).toEqual([])
  })
})

function namesOf({ properties = {} }: Schema, within = ''): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = within === '' ? name : `${within}.${name}`
    return [path].concat(namesOf(schema, path))
  })
}

test('the chart and the images have the version of the package', async () => {
  const { version, appVersion } = parse(await read('deploy/chart/Chart.yaml')) as Record<string, string>
  expect([version, appVersion]).toEqual([packageJson.version, packageJson.version])
  expect(imageReference).toBe(`lifeboat:${packageJson.version}`)
  expect(agentImageReference).toBe(`lifeboat-agent:${packageJson.version}`)
  expect(manifests).toContain(`image: ${imageReference}\n`)
})

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`
const byName = (objects: readonly unknown[]) =>
  new Map((objects as Manifest[]).map((object) => [nameOf(object), object]))

describe('deploy/lifeboat.yaml', () => {
  const written = byName(objectsIn(manifests))

  test('is what lifeboat install applies', () => {
    const applied = byName(JSON.parse(JSON.stringify(everyObject())) as unknown[])
    expect([...applied.keys()].toSorted()).toEqual([...written.keys()].toSorted())
    // Only Helm reads it.
    const keep = { 'helm.sh/resource-policy': 'keep' }
    for (const [name, object] of written) {
      const expected = applied.get(name) as unknown as { metadata: { annotations?: object } }
      const annotations = { ...expected.metadata.annotations, ...(name.startsWith('CustomResource') ? keep : {}) }
      const metadata = Object.keys(annotations).length > 0 ? { ...expected.metadata, annotations } : expected.metadata
      expect(object).toEqual({ ...expected, metadata })
    }
  })

  test('has nothing that lifeboat uninstall would leave', () => {
    const { namespace } = installation
    const removed = byName([
      ...everyAdmissionObject(namespace),
      ...installationObjects(namespace),
      ...workloadObjects(),
    ])
    expect([...written.keys()].filter((name) => !removed.has(name))).toEqual([])
  })

  test('runs pods that stopping finds', () => {
    const deployment = written.get('Deployment lifeboat-system/lifeboat') as unknown as {
      spec: { selector: { matchLabels: object } }
    }
    expect(deployment.spec.selector.matchLabels).toEqual(replicaLabels)
  })

  test('is in the code as far as the code does not know it anyway', async () => {
    expect(await read('src/manager/manifests/workload.json')).toBe(workloadManifests(manifests))
  })
})
