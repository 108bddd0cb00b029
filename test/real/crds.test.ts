import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { definitions } from '../../src/manager/install/install.ts'
import type { Status } from '../../src/api/kubernetes/meta.ts'
import { createKubectl } from '../cluster/kubectl.ts'
import { inNewestWords } from '../cluster/older-words.ts'
import { applyStep, titleOf, type Row, type RowObject, type Step } from './definition-row.ts'
import { evacuationRows, maintenanceRows } from './definitions-table.ts'
import { evacuation, namespace, uid } from './evacuation-rows.ts'
import { maintenance } from './node-maintenance-rows.ts'
import { ownCluster } from './own-cluster.ts'

// That the API server takes our CRDs, and that they refuse what they should with a word on the field at fault.

const cluster = ownCluster()
const kubectl = createKubectl(cluster)
const dispatcher = new Agent({ connect: { ca: cluster.certificateAuthority } })
const evacuationsPath = `/apis/evacuation.coordination.k8s.io/v1alpha1/namespaces/${namespace}/evacuations`
const maintenancesPath = '/apis/nodemaintenance.k8s.io/v1alpha1/nodemaintenances'

interface Answer {
  readonly code: number
  readonly body: unknown
}

async function send(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  object?: unknown,
): Promise<Answer> {
  const { statusCode, body } = await request(`${cluster.server}${path}`, {
    method,
    dispatcher,
    headers: {
      authorization: `Bearer ${cluster.adminToken}`,
      'content-type': method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json',
    },
    ...(object === undefined ? {} : { body: JSON.stringify(object) }),
  })
  return { code: statusCode, body: await body.json() }
}

function outcomeOf({ code, body }: Answer): string {
  const { reason, message } = body as Status
  return code < 300 ? 'accepted' : `${code} ${reason}: ${message}`
}

async function applyDefinition(definition: { metadata: { name?: string } }): Promise<void> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`
  const applied = await send('PATCH', `${path}?fieldManager=lifeboat-test&force=true`, definition)
  expect(outcomeOf(applied)).toBe('accepted')
  const established = expect.objectContaining({ type: 'Established', status: 'True' }) as object
  await vi.waitFor(
    async () => {
      const { body } = await send('GET', path)
      expect(body).toMatchObject({ status: { conditions: expect.arrayContaining([established]) as object[] } })
    },
    { timeout: 20_000, interval: 100 },
  )
}

beforeAll(async () => {
  // With Lifeboat's label: an uninstall in a later file leaves definitions without it alone.
  for (const definition of definitions()) await applyDefinition(definition)
  await kubectl(['create', 'namespace', namespace])
  // Established comes a moment before the first write is let in: until then it is 404, or 429 while storage starts.
  const first = [
    { path: evacuationsPath, object: evacuation() },
    { path: maintenancesPath, object: maintenance() },
  ]
  for (const { path, object } of first) {
    const admitted = async () => expect(await send('POST', `${path}?dryRun=All`, object)).toMatchObject({ code: 201 })
    await vi.waitFor(admitted, { timeout: 20_000, interval: 100 })
  }
})

afterAll(async () => {
  await kubectl(['delete', 'namespace', namespace, '--wait=false'])
  await dispatcher.close()
})

/** Plays a row through and hands back the last answer; whatever came before it must have been accepted. */
async function play(collection: string, row: Row): Promise<Answer> {
  let answer = await send('POST', collection, row.create)
  try {
    for (const step of row.steps ?? []) {
      expect(outcomeOf(answer)).toBe('accepted')
      answer = await update(collection, answer.body as RowObject, step)
    }
    return answer
  } finally {
    await remove(collection, row.create)
  }
}

function update(collection: string, stored: RowObject, step: Step): Promise<Answer> {
  const path = `${collection}/${String(stored.metadata['name'])}${'status' in step ? '/status' : ''}`
  return send('PUT', path, applyStep(stored, step))
}

async function remove(collection: string, { metadata }: RowObject): Promise<void> {
  const path = `${collection}/${String(metadata['name'])}`
  const { code, body } = await send('GET', path)
  if (code !== 200) return
  // Finalizers of the row would keep it.
  await send('PUT', path, applyStep(body as RowObject, { update: { metadata: { finalizers: [] } } }))
  await send('DELETE', path)
}

async function holds(collection: string, row: Row): Promise<void> {
  const answer = await play(collection, row)
  if (row.refused === undefined) {
    expect(outcomeOf(answer)).toBe('accepted')
    expect(answer.body).toMatchObject(row.reads ?? {})
    return
  }
  expect(outcomeOf(answer)).toMatch(/^422 Invalid: /)
  const { field, message } = row.refused
  const { details: { causes = [] } = {} } = answer.body as Status
  expect(causes.map((cause) => ({ field: cause.field, message: inNewestWords(cause.message ?? '') }))).toContainEqual({
    field,
    message: expect.stringContaining(message) as string,
  })
}

const titled = (rows: readonly Row[]) => rows.map((row) => [titleOf(row), row] as const)

describe('an Evacuation', () => {
  test.each(titled(evacuationRows))('%s', (_title, row) => holds(evacuationsPath, row))
})

describe('a NodeMaintenance', () => {
  test.each(titled(maintenanceRows))('%s', (_title, row) => holds(maintenancesPath, row))
})

describe('kubectl', () => {
  test('shows the columns of an Evacuation and finds it by its pod', async () => {
    await send('POST', evacuationsPath, evacuation())
    const list = (...more: string[]) => kubectl(['-n', namespace, 'get', 'evac', ...more])
    expect(await list()).toMatch(
      /^NAME +POD +ACTIVE EVACUATOR +PROGRESS +FAILED EVICTIONS +AGE\n\S+ +cart-7 +0 +\S+\n$/,
    )
    expect(await list('-o', 'name', '--field-selector=spec.podRef.name=cart-7')).toContain(uid)
    expect(await list('-o', 'name', '--field-selector=spec.podRef.name=cart-8')).toBe('')
    await remove(evacuationsPath, evacuation())
  })

  test('shows the columns of a NodeMaintenance', async () => {
    await send('POST', maintenancesPath, maintenance())
    const table = await kubectl(['get', 'nm'])
    expect(table).toMatch(
      /^NAME +STAGE +NODES +DRAINED +PENDING +EVACUATING +AGE\nmaintenance-a +Idle +0 +0 +0 +0 +\S+\n$/,
    )
    await remove(maintenancesPath, maintenance())
  })

  test('explains a field', async () => {
    const explained = () => kubectl(['explain', 'evacuation.spec.evacuators.role']).catch(String)
    // The API server publishes the schema of a new kind some seconds later.
    await expect.poll(explained, { timeout: 30_000, interval: 1_000 }).toContain('A hint for other evacuators')
  })
})
