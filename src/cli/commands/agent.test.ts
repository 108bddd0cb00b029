import { mkdtempDisposable, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { manifestOf } from '../../../test/build/memory-folder.ts'
import { commandWorld, openServedCluster } from '../../../test/build/served-cluster.ts'
import { mailboxNameOf, renderWanted, reportOf } from '../../api/maintenance/agent-mailbox.ts'
import { leases, namespaces } from '../../api/kubernetes/resources.ts'
import { annotations } from '../../api/names.ts'
import { unlessNotFound } from '../../kube/client/errors.ts'
import { agent } from './agent.ts'

const namespace = 'lifeboat-system'
const key = { namespace, name: mailboxNameOf('one') }

async function eventually<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (let looks = 0; looks < 400; looks++) {
    const found = await read()
    if (found !== undefined) return found
    await pause(25)
  }
  throw new Error('it never came about')
}

test('parks and tells by HTTP, and puts everything back at its end where it has no DaemonSet', async () => {
  await using cluster = await openServedCluster()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'manifests-'))
  await writeFile(join(folder.path, 'a.yaml'), manifestOf('a'))
  await cluster.admin.create(namespaces, { metadata: { name: namespace } })
  const { promise: interrupted, resolve: interrupt } = Promise.withResolvers<void>()
  const world = { ...commandWorld(), untilInterrupted: () => interrupted }
  const running = agent(world, {
    kubeconfig: cluster.kubeconfig,
    node: 'one',
    podName: 'agent-x',
    podUid: 'u',
    namespace,
    daemonSet: 'lifeboat-agent',
    manifests: folder.path,
    shutdownBudget: 0,
    shutdownLeadTime: 0,
    logLevel: 'error',
  })
  const mailbox = await eventually(() => unlessNotFound(cluster.admin.get(leases, key)))
  expect(reportOf(mailbox)).toMatchObject({ node: 'one', bootID: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  const text = renderWanted({ park: [{ pod: 'kube-system/a-one', since: '2026-01-01T00:00:00Z' }] })
  const body = { metadata: { annotations: { [annotations.agentWanted]: text } } }
  await cluster.admin.patch(leases, key, { type: 'merge', body })
  await eventually(async () =>
    reportOf(await cluster.admin.get(leases, key))?.staticPods?.parked.length === 1 ? true : undefined,
  )
  expect(await readdir(folder.path)).toEqual(['.lifeboat-parked.a.yaml'])
  interrupt()
  await running
  expect(await readdir(folder.path)).toEqual(['a.yaml'])
  expect(await unlessNotFound(cluster.admin.get(leases, key))).toBeUndefined()
})
