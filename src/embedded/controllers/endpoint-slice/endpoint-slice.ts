import { isDeepStrictEqual } from 'node:util'
import { matchesLabelSelector } from '../../../api/kubernetes/label-selector.ts'
import type { OwnerReference } from '../../../api/kubernetes/meta.ts'
import type { Next } from '../../../runtime/work-queue.ts'
import type { AnyObject, Stored } from '../../server/store.ts'
import { namesOf, ownKey, settled, startControlLoop, ending } from '../control-loop.ts'
import type { ControllerParts } from '../controller.ts'
import { forLife, ObjectGroups } from '../object-groups.ts'
import type { Service } from '../objects.ts'
import { getObject, listObjects } from '../typed-store.ts'
import { ignoring, writeObject } from '../outcome.ts'
import { controllerReference, nameOf } from '../ownership.ts'
import { areSame, type Part } from '../same-parts.ts'
import { buildSlices, buildSubsets, type EndpointsView, type Slice } from './build-endpoints.ts'

const sliceResource = 'endpointslices.discovery.k8s.io'
const serviceLabel = 'kubernetes.io/service-name'
const managedByLabel = 'endpointslice.kubernetes.io/managed-by'
/** All of a pod that decides where a service leads. */
const routed: readonly Part[] = ['labels', 'status', 'spec', 'deletionTimestamp']
const refusals = ['AlreadyExists', 'NotFound', 'Conflict', 'Forbidden']

export function startEndpointSliceController(parts: ControllerParts): AsyncDisposable {
  const pods = new ObjectGroups(parts.store, 'pods', {
    by: forLife,
    groupsOf: ({ metadata }) => [metadata.namespace],
  })
  const servicesOf = (object: Stored) =>
    listObjects(parts.store, 'services', object.metadata.namespace)
      .filter((service) => selects(service, object))
      .flatMap((service) => ownKey(service))
  const loop = startControlLoop({
    name: 'endpoint-slice',
    parts,
    reconcile: async (key) => await reconcileService(parts, pods, key),
    wakes: {
      services: ownKey,
      pods: (object, previous, type) => {
        if (previous === undefined) return servicesOf(object)
        const isSame = type === 'MODIFIED' && areSame(routed, object, previous)
        return isSame ? [] : [...servicesOf(object), ...servicesOf(previous)]
      },
    },
  })
  return ending(loop, pods)
}

function selects({ spec }: Service, { metadata }: Stored): boolean {
  const matchLabels = spec?.selector ?? {}
  return Object.keys(matchLabels).length > 0 && matchesLabelSelector({ matchLabels }, metadata.labels)
}

async function reconcileService(parts: ControllerParts, pods: ObjectGroups<'pods'>, key: string): Promise<Next> {
  const { store, api } = parts
  const { namespace, name } = namesOf(key)
  const service = getObject(store, 'services', key)
  const isOurs = service !== undefined && Object.keys(service.spec?.selector ?? {}).length > 0
  const known = store.list(sliceResource, namespace).filter(({ metadata }) => metadata.labels?.[serviceLabel] === name)
  if (!isOurs) {
    // The endpoints of a Service without a selector belong to another writer.
    if (service !== undefined) return settled
    for (const { metadata } of known) await ignoring(refusals, api.delete(sliceResource, nameOf(metadata)))
    if (store.get('endpoints', key) !== undefined)
      await ignoring(refusals, api.delete('endpoints', { namespace, name }))
    return settled
  }
  const view: EndpointsView = {
    service,
    pods: pods.in(namespace),
    nodeOf: (nodeName) => getObject(store, 'nodes', nodeName),
  }
  const slices = buildSlices(view)
  for (const [index, slice] of slices.entries()) await writeSlice(parts, service, slice, known[index])
  for (const { metadata } of known.slice(slices.length))
    await ignoring(refusals, api.delete(sliceResource, nameOf(metadata)))
  await writeEndpoints(parts, view)
  return settled
}

async function writeSlice(
  parts: ControllerParts,
  service: Service,
  slice: Slice,
  known: Stored | undefined,
): Promise<void> {
  const { namespace, name } = service.metadata
  if (known !== undefined) {
    if (isDeepStrictEqual({ endpoints: known['endpoints'], ports: known['ports'] }, slice)) return
    await writeObject(parts, sliceResource, { ...known, ...slice })
    return
  }
  const owner: OwnerReference = controllerReference({ apiVersion: 'v1', kind: 'Service' }, service.metadata)
  const object: AnyObject = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace,
      generateName: `${name}-`,
      labels: { ...service.metadata.labels, [serviceLabel]: name, [managedByLabel]: 'endpointslice-controller.k8s.io' },
      ownerReferences: [owner],
    },
    addressType: 'IPv4',
    ...slice,
  }
  await ignoring(refusals, parts.api.create(sliceResource, object))
}

async function writeEndpoints(parts: ControllerParts, view: EndpointsView): Promise<void> {
  const { namespace, name, labels } = view.service.metadata
  const subsets = buildSubsets(view)
  const known = parts.store.get('endpoints', `${namespace}/${name}`)
  if (known === undefined) {
    const metadata = { namespace, name, ...(labels === undefined ? {} : { labels: { ...labels } }) }
    await ignoring(refusals, parts.api.create('endpoints', { apiVersion: 'v1', kind: 'Endpoints', metadata, subsets }))
  } else if (!isDeepStrictEqual(known['subsets'], subsets)) {
    await writeObject(parts, 'endpoints', { ...known, subsets } as Stored)
  }
}
