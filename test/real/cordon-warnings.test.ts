import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildCordonPolicy } from '../../src/admission/policies/cordon-policy.ts'
import { nodes } from '../../src/api/kubernetes/resources.ts'
import type { Kube } from '../../src/kube/client/client.ts'
import { isKubeError } from '../../src/kube/client/errors.ts'
import { installation, userOfServiceAccount } from '../../src/manager/install/installation-names.ts'
import { resourceOf } from '../../src/manager/manifests/resources.ts'
import { buildNode } from '../build/nodes-and-pods.ts'
import { connect, type Connection } from '../cluster/connect.ts'
import { ownCluster } from './own-cluster.ts'

// What a person sees who cordons or uncordons a node under maintenance. No controller runs, so nobody puts it back.

const cluster = ownCluster()
const name = 'cordon-warnings'
let connection: Connection
let kube: Kube

beforeAll(async () => {
  connection = await connect(cluster)
  kube = connection.kube
  for (const object of buildCordonPolicy(userOfServiceAccount(installation.namespace))) {
    // A Lifeboat that ran before may have left it.
    await kube.create(resourceOf(object), object).catch((error: unknown) => {
      if (!isKubeError(error, 'alreadyExists')) throw error
    })
  }
  const annotations = { 'nodemaintenance.k8s.io/maintenance-status': '{"drainTargets":[]}' }
  await kube.create(nodes, buildNode({ name, annotations }))
})
afterAll(async () => {
  await kube.delete(nodes, { name })
  await connection[Symbol.asyncDispose]()
})

async function kubectl(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const child = spawn(cluster.kubectlPath, args, { env: { ...process.env, KUBECONFIG: cluster.kubeconfigPath } })
  const ended = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  expect(child.exitCode).toBe(0)
  return { stdout, stderr }
}

/** The API server takes a moment to hear of a policy. */
async function untilWarned(): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const { stderr } = await kubectl('cordon', name, '--dry-run=server')
    if (stderr !== '') return
    await pause(100)
  }
  throw new Error('nobody warns')
}

const warning = (words: string) =>
  `Warning: Validation failed for ValidatingAdmissionPolicy 'lifeboat-cordon' with binding 'lifeboat-cordon': node ${name} is under maintenance (nodemaintenance.k8s.io): ${words}\n`

test('kubectl cordon and uncordon do as they are told, and warn that it will not last', async () => {
  await untilWarned()
  expect(await kubectl('cordon', name)).toEqual({
    stdout: `node/${name} cordoned\n`,
    stderr: warning(
      'it is cordoned anyway and becomes schedulable again when that completes. Cordon it afterwards if it should stay so',
    ),
  })
  expect(await kubectl('cordon', name)).toEqual({ stdout: `node/${name} already cordoned\n`, stderr: '' })
  expect(await kubectl('uncordon', name)).toEqual({
    stdout: `node/${name} uncordoned\n`,
    stderr: warning('it will be cordoned again. Complete the NodeMaintenance to make it schedulable'),
  })
})

test('they say nothing of a node that is not under maintenance', async () => {
  await kubectl('annotate', 'node', name, 'nodemaintenance.k8s.io/maintenance-status-')
  expect(await kubectl('cordon', name)).toEqual({ stdout: `node/${name} cordoned\n`, stderr: '' })
  expect(await kubectl('uncordon', name)).toEqual({ stdout: `node/${name} uncordoned\n`, stderr: '' })
})
