import type { KubernetesList, KubernetesObject, ListMeta, Manifest, New, Unnamed } from '../../api/kubernetes/meta.ts'
import { apiVersionOf, pods, type Resource } from '../../api/kubernetes/resources.ts'
import {
  dryRunQuery,
  selectionQuery,
  sentOf,
  type CallOptions,
  type DeleteOptions,
  type ListOptions,
  type Patch,
  type WatchOptions,
  type WriteOptions,
} from './call-options.ts'
import { buildEviction, type EvictionOptions } from './build-eviction.ts'
import { isKubeError, parseStatus } from './errors.ts'
import { evictOutcomeOf, type EvictOutcome } from './evict-outcome.ts'
import { collectionPath, objectPath, type ObjectKey } from './paths.ts'
import { labelOf, Sender, type SenderOptions } from './sender.ts'
import { metadataRequest, pagesOf, type ListShape } from './list-pages.ts'
import { assertStored } from './stored-object.ts'
import { rowsOf, tableRequest, type RowsPage, type TablePage } from './table.ts'
import type { Method, TransportRequest } from './transport.ts'
import { parseWatchEvent, type WatchEvent } from '../watch/watch-event.ts'

const patchContentTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
}

/** A continue token lasts some five minutes; a list that keeps outliving it will not succeed by one more try. */
const listAttemptsMax = 3

type ListPage<T> = { readonly items: readonly T[]; readonly metadata: ListMeta }

/** A typed client for one API server. Every failure is a KubeError, or the reason of the signal that cancelled. */
export class Kube {
  readonly #sender: Sender

  constructor(options: SenderOptions) {
    this.#sender = new Sender(options)
  }

  async get<T extends KubernetesObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options: CallOptions & { subresource?: string } = {},
  ): Promise<T> {
    const path = objectPath(resource, key, options.subresource)
    return this.#object<T>('get', resource, { method: 'GET', path, ...sentOf(options) })
  }

  /** Everything there is, in pages, as of one version. Begins again when the server forgot that version on the way. */
  async list<T extends KubernetesObject>(
    resource: Resource<T>,
    options: ListOptions = {},
  ): Promise<{ items: T[]; resourceVersion: string }> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await this.#listOnce(resource, options)
      } catch (error) {
        if (!isKubeError(error, 'expired') || attempts >= listAttemptsMax) throw error
      }
    }
  }

  /** One page at a time, for lists too large to hold. */
  async *pages<T extends KubernetesObject>(
    resource: Resource<T>,
    options: ListOptions = {},
    shape: ListShape = {},
  ): AsyncGenerator<ListPage<T>, void, void> {
    for await (const { items, metadata } of this.#pages<KubernetesList<T>>(resource, options, shape)) {
      yield { items: items ?? [], metadata }
    }
  }

  /** The metadata of each object and nothing else: most of a node, for one, is its status. */
  metadata(resource: Resource<KubernetesObject>, options: ListOptions = {}) {
    return this.pages(resource, options, metadataRequest)
  }

  /** What people are shown of each object: for callers that look for a few among many. */
  async *rows(resource: Resource<KubernetesObject>, options: ListOptions = {}): AsyncGenerator<RowsPage, void, void> {
    for await (const page of this.#pages<TablePage>(resource, options, tableRequest)) {
      yield { rows: rowsOf(page), metadata: page.metadata }
    }
  }

  async create<T extends KubernetesObject>(
    resource: Resource<T>,
    object: New<T> | Unnamed<T>,
    options: Omit<WriteOptions, 'subresource'> = {},
  ): Promise<T> {
    const path = collectionPath(resource, object.metadata.namespace)
    return this.#write('create', 'POST', resource, path, typed(resource, object), options)
  }

  /** A question that the API server answers without storing anything: a review, or with a key a token for that object. */
  async ask<Answer>(
    resource: Resource<KubernetesObject>,
    question: object,
    options: CallOptions & { readonly about?: { readonly key: ObjectKey; readonly subresource: string } } = {},
  ): Promise<Answer> {
    const { about } = options
    const path = about === undefined ? collectionPath(resource) : objectPath(resource, about.key, about.subresource)
    const request = { method: 'POST', path, body: typed(resource, question), ...sentOf(options) } as const
    return this.#send<Answer>('create', resource, request, about?.subresource)
  }

  /** Sends the whole object; its resourceVersion makes the server refuse a write on top of someone else's. */
  async replace<T extends KubernetesObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const path = objectPath(resource, keyOf(object), options.subresource)
    return this.#write('update', 'PUT', resource, path, typed(resource, object), options)
  }

  async patch<T extends KubernetesObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = objectPath(resource, key, options.subresource)
    const headers = { 'content-type': patchContentTypes[patch.type] }
    return this.#write('patch', 'PATCH', resource, path, patch.body, options, headers)
  }

  /** Server-side apply: makes what the object says so, whatever other writers said, and leaves all else alone. */
  async apply<T extends KubernetesObject>(
    resource: Resource<T>,
    object: Manifest,
    options: CallOptions & { readonly fieldManager: string; readonly dryRun?: boolean },
  ): Promise<T> {
    const query = { fieldManager: options.fieldManager, force: 'true', ...dryRunQuery(options).query }
    return this.#send('patch', resource, {
      method: 'PATCH',
      path: objectPath(resource, object.metadata),
      query,
      body: typed(resource, object),
      headers: { 'content-type': 'application/apply-patch+yaml' },
      ...sentOf(options),
    })
  }

  /** Resolves to the object where the API server still has it: finalizers keep it, or a pod that has time to end. */
  async delete<T extends KubernetesObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options: DeleteOptions = {},
  ): Promise<T | undefined> {
    const { signal, yieldsForMs, dryRun, ...deleteOptions } = options
    // A server that gets options in the body does not look at the query: a dry run said only there would be none.
    const dry = dryRun === true ? { dryRun: ['All'] } : {}
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...deleteOptions, ...dry }
    const request = {
      method: 'DELETE',
      path: objectPath(resource, key),
      body,
      ...sentOf({ signal, yieldsForMs }),
    } as const
    const answer = await this.#send<T>('delete', resource, request)
    return parseStatus(answer) === undefined ? answer : undefined
  }

  /** Deletes all objects with the labels, by one request. It names no UIDs: the labels must say enough. */
  async deleteSelected(
    resource: Resource<KubernetesObject>,
    selection: { readonly namespace: string; readonly labelSelector: string },
    options: CallOptions = {},
  ): Promise<void> {
    const path = collectionPath(resource, selection.namespace)
    // The answer lists what was deleted.
    const request = { method: 'DELETE', path, query: selectionQuery(selection), ...metadataRequest } as const
    await this.#send('deletecollection', resource, { ...request, ...sentOf(options) })
  }

  /** Asks the API server to evict, which asks the budgets. A refusal is an answer, not an error, and is not repeated. */
  async evict(
    pod: { readonly namespace: string; readonly name: string; readonly uid: string },
    options: CallOptions & EvictionOptions = {},
  ): Promise<EvictOutcome> {
    try {
      const request = {
        method: 'POST',
        path: objectPath(pods, pod, 'eviction'),
        body: buildEviction(pod, options),
        ...dryRunQuery(options),
      } as const
      await this.#sender.send(
        { ...request, ...sentOf(options) },
        { verb: 'create', resource: 'pods/eviction' },
        { repeat: false },
      )
      return { kind: 'accepted' }
    } catch (error) {
      const outcome = isKubeError(error) ? evictOutcomeOf(error) : undefined
      if (outcome === undefined) throw error
      return outcome
    }
  }

  async bind(
    pod: ObjectKey & { readonly namespace: string },
    nodeName: string,
    options: CallOptions = {},
  ): Promise<void> {
    const body = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: pod,
      target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
    }
    const request = { method: 'POST', path: objectPath(pods, pod, 'binding'), body, ...sentOf(options) } as const
    await this.#send('create', pods, request, 'binding')
  }

  /** The server ends it after timeoutSeconds; a KubeError of kind `expired` says that the version is too old. */
  async *watch<T extends KubernetesObject>(
    resource: Resource<T>,
    options: WatchOptions,
  ): AsyncGenerator<WatchEvent<T>, void, void> {
    const query = {
      ...selectionQuery(options),
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: options.resourceVersion,
      timeoutSeconds: String(options.timeoutSeconds),
    }
    const path = collectionPath(resource, options.namespace)
    const { isWorthParsing } = options
    const events = await this.#sender.watch(
      { method: 'GET', path, query, ...sentOf(options), ...(isWorthParsing === undefined ? {} : { isWorthParsing }) },
      labelOf('watch', resource),
    )
    for await (const event of events) yield parseWatchEvent<T>(event)
  }

  async #listOnce<T extends KubernetesObject>(resource: Resource<T>, options: ListOptions) {
    const items: T[] = []
    let resourceVersion = ''
    for await (const page of this.pages(resource, options)) {
      for (const item of page.items) items.push(item)
      resourceVersion = page.metadata.resourceVersion ?? ''
    }
    return { items, resourceVersion }
  }

  #write<T extends KubernetesObject>(
    verb: string,
    method: Method,
    resource: Resource<T>,
    path: string,
    body: unknown,
    options: WriteOptions,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const request = { method, path, body, headers, ...dryRunQuery(options), ...sentOf(options) }
    return this.#object<T>(verb, resource, request, options.subresource)
  }

  #pages<Page extends { readonly metadata: ListMeta }>(
    resource: Resource<KubernetesObject>,
    options: ListOptions,
    shape: ListShape = {},
  ): AsyncGenerator<Page, void, void> {
    return pagesOf((request) => this.#send<Page>('list', resource, request), resource, options, shape)
  }

  async #object<T extends KubernetesObject>(
    verb: string,
    resource: Resource<T>,
    request: TransportRequest,
    subresource?: string,
  ): Promise<T> {
    const answer = await this.#send<T>(verb, resource, request, subresource)
    assertStored(answer)
    return answer
  }

  #send<Answer>(
    verb: string,
    resource: Resource<KubernetesObject>,
    request: TransportRequest,
    subresource?: string,
  ): Promise<Answer> {
    // The API server validated it; what it says about its own kinds is taken at its word.
    return this.#sender.send(request, labelOf(verb, resource, subresource), { repeat: true }) as Promise<Answer>
  }
}

export function keyOf({ metadata: { name, namespace } }: { readonly metadata: ObjectKey }): ObjectKey {
  return namespace === undefined ? { name } : { namespace, name }
}

function typed(resource: Resource<KubernetesObject>, object: object): object {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object }
}
