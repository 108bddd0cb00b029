import { readFile, writeFile } from 'node:fs/promises'
import { join, dirname } from 'node:path'
import { parse, stringify } from 'yaml'
import { evacuations } from '../../src/api/evacuation/evacuation.ts'
import { leases, namespaces, nodes, serviceAccounts } from '../../src/api/kubernetes/resources.ts'
import { nodeMaintenances } from '../../src/api/maintenance/node-maintenance.ts'
import { install } from '../../src/manager/install/install.ts'
import { installation } from '../../src/manager/install/installation-names.ts'
import { serviceAccountCredentials } from '../../src/manager/run/service-account-credentials.ts'
import { systemClock } from '../../src/runtime/system.ts'
import {
  buildDrainedNode,
  buildEvacuation,
  buildMaintenance,
  type EvacuationLook,
  type MaintenanceLook,
  type NodeLook,
} from './drain-view.ts'
import { openServedCluster, type ServedCluster } from './served-cluster.ts'

/** A served cluster on which Lifeboat is installed and nobody runs it: its state is what a test says it is. */
export interface ArrangedCluster extends ServedCluster {
  /** As the controller would write it. */
  setNode(look: NodeLook): Promise<void>
  setMaintenance(look: MaintenanceLook & { readonly name: string }): Promise<void>
  addEvacuation(look: EvacuationLook): Promise<void>
  /** As a leader that is there, or that is gone. */
  setLeader(identity: string): Promise<void>
  /** A kubeconfig of a service account that may do nothing. */
  strangersKubeconfig(): Promise<string>
}

export async function openArrangedCluster(options: { readonly nodes: number }): Promise<ArrangedCluster> {
  await using opening = new AsyncDisposableStack()
  const served = opening.use(await openServedCluster(options))
  const { admin } = served
  await install({ kube: admin, clock: systemClock }, installation.namespace)
  await admin.create(namespaces, { metadata: { name: 'shop' } })
  const open = opening.move()
  return {
    ...served,
    setNode: async (look) => {
      const { metadata, spec } = buildDrainedNode(look)
      const { labels, annotations } = metadata
      await admin.patch(
        nodes,
        { name: look.name },
        { type: 'merge', body: { metadata: { labels, annotations }, spec } },
      )
    },
    setMaintenance: async (look) => {
      const { status, ...object } = buildMaintenance(look)
      const key = { name: look.name }
      const exists = served.cluster.store.get('nodemaintenances.nodemaintenance.k8s.io', look.name) !== undefined
      const { labels } = object.metadata
      const metadata = labels === undefined ? key : { ...key, labels }
      if (!exists) await admin.create(nodeMaintenances, { ...object, metadata })
      await admin.patch(nodeMaintenances, key, { type: 'merge', body: { status } }, { subresource: 'status' })
    },
    addEvacuation: async (look) => {
      const { status, metadata: shown, ...object } = buildEvacuation(look)
      const { uid: _uid, resourceVersion: _version, ...metadata } = shown
      const { name, namespace } = (await admin.create(evacuations, { ...object, metadata })).metadata
      await admin.patch(
        evacuations,
        { namespace, name },
        { type: 'merge', body: { status } },
        { subresource: 'status' },
      )
    },
    setLeader: async (holderIdentity) => {
      const { namespace, lease: name } = installation
      const renewTime = new Date(systemClock.nowMs()).toISOString().replace('Z', '000Z')
      // For as long as a test may take.
      const spec = { holderIdentity, leaseDurationSeconds: 3_600, renewTime }
      await admin.create(leases, { metadata: { namespace, name }, spec })
    },
    strangersKubeconfig: async () => {
      const key = { namespace: 'default', name: 'stranger' }
      await admin.create(serviceAccounts, { metadata: key })
      const { token } = await serviceAccountCredentials({ kube: admin, clock: systemClock, ...key }).current()
      const document = parse(await readFile(served.kubeconfig, 'utf8')) as { users: { user: object }[] }
      for (const entry of document.users) entry.user = { token }
      const path = join(dirname(served.kubeconfig), 'stranger')
      await writeFile(path, stringify(document))
      return path
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
