import { definitions as buildDefinitions } from '../../src/manager/install/install.ts'
import { applyStep, titleOf, type Row, type RowObject } from '../real/definition-row.ts'
import { evacuationRows, maintenanceRows } from '../real/definitions-table.ts'
import { namespace as rowNamespace } from '../real/evacuation-rows.ts'
import type { Answer, Scenario, World } from './scenario.ts'
import { merge } from './workload-world.ts'

// Our own kinds as CRDs: schemas, defaults and CEL rules, by the rows that describe them.

const evacuations = '/apis/evacuation.coordination.k8s.io/v1alpha1/namespaces/NS/evacuations'
const maintenances = '/apis/nodemaintenance.k8s.io/v1alpha1/nodemaintenances'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/**
 * Makes the CRDs where they are not there yet, and waits until their objects can be written. They bear Lifeboat's label:
 * an uninstall in a later file leaves definitions without it alone.
 */
export async function arrangeDefinitions(world: World): Promise<void> {
  for (const definition of buildDefinitions()) {
    const { status } = await world.attempt('POST', definitions, definition)
    if (status !== 201 && status !== 409) throw new Error(`${definition.metadata.name}: ${status}`)
  }
  for (const path of [evacuations, maintenances]) {
    // A list is answered as soon as the kind is served; while its storage starts the answer is 429.
    await world.eventually(
      `${path} is served`,
      () => world.read(path),
      ({ status }) => status === 200,
    )
  }
}

interface Kept {
  readonly metadata: { readonly name?: string }
}

async function play(world: World, path: string, { create, steps = [] }: Row): Promise<void> {
  const inScenario = (object: object) =>
    JSON.parse(JSON.stringify(object).replaceAll(`"${rowNamespace}"`, '"NS"')) as RowObject
  // The first write may still meet a storage that starts.
  let answer: Answer = await world.eventually(
    'the storage is there',
    () => world.attempt('POST', path, inScenario(create)),
    ({ status }) => status !== 429,
  )
  const name = (answer.body as unknown as Kept).metadata.name
  note(world, 'create', answer)
  for (const step of steps) {
    if (answer.status >= 300) break
    const subresource = 'status' in step ? '/status' : ''
    answer = await world.update(`${path}/${name}${subresource}`, applyStep(answer.body, step))
    note(world, 'status' in step ? 'update the status' : 'update', answer)
  }
  if (name !== undefined && path === maintenances) await remove(world, `${path}/${name}`)
}

function note(world: World, what: string, { status, body }: Answer): void {
  const { reason, message, details, spec, status: written } = body
  world.observe(what, status < 300 ? { status, spec, written } : { status, reason, message, details })
}

/** Objects without a namespace would be in the way of the next row. */
async function remove(world: World, path: string): Promise<void> {
  await world.attempt('DELETE', path, {})
  await world.eventually(
    `${path} is gone`,
    () => world.read(path),
    ({ status }) => status === 404,
  )
}

const scenarioOf =
  (kind: string, path: string) =>
  (row: Row): Scenario => ({
    name: `${kind} ${titleOf(row)}`,
    run: async (world) => {
      await arrangeDefinitions(world)
      await play(world, path, row)
    },
  })

const deletedDefinition: Scenario = {
  name: 'a definition that is being deleted takes nothing new, while something keeps it',
  run: async (world) => {
    const group = `${world.namespace}.example.com`
    const names = { plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' }
    const schema = { openAPIV3Schema: { type: 'object' } }
    const versions = [{ name: 'v1', served: true, storage: true, schema }]
    const spec = { group, scope: 'Namespaced', names, versions }
    const definition = `${definitions}/boats.${group}`
    const boats = `/apis/${group}/v1/namespaces/NS/boats`
    const boat = (name: string, finalizers: string[] = []) => ({
      apiVersion: `${group}/v1`,
      kind: 'Boat',
      metadata: { name, namespace: 'NS', finalizers },
    })
    await world.arrange('POST', definitions, { metadata: { name: `boats.${group}` }, spec })
    await world.eventually(
      'it can be created',
      () => world.attempt('POST', boats, boat('held', ['sea.example/anchor'])),
      ({ status }) => status === 201,
    )
    await world.arrange('DELETE', definition)
    const refused = await world.eventually(
      'nothing more can be created',
      () => world.attempt('POST', boats, boat('late')),
      ({ status }) => status === 403,
    )
    world.observe('refused', { reason: refused.body['reason'], message: refused.body['message'] })
    await world.attempt('PATCH', `${boats}/held`, { metadata: { finalizers: null } }, merge)
    await world.eventually(
      'it goes',
      () => world.read(definition),
      ({ status }) => status === 404,
    )
  },
}

export const customResourceScenarios: readonly Scenario[] = [
  deletedDefinition,
  ...evacuationRows.map(scenarioOf('an Evacuation', evacuations)),
  ...maintenanceRows.map(scenarioOf('a NodeMaintenance', maintenances)),
]
