import type { Clock } from '../../runtime/clock.ts'
import type { Random, RandomStream } from '../../runtime/random.ts'
import type { Admission } from './admission/admission.ts'
import { accessDenied, type Authorizer } from './authorization.ts'
import { resourceId, type ResourceDefinition } from './definition.ts'
import type { Definitions } from './definitions.ts'
import { evictPod } from './eviction/evict.ts'
import {
  ApiFailure,
  badRequest,
  internal,
  invalid,
  methodNotAllowed,
  noSuchSubresource,
  NoSuchPath,
  notFound,
  shownName,
} from './failure.ts'
import { allVerbs, parseResourcePath, verbOf, type ResourcePath, type Verb } from './parse-path.ts'
import { applyPatch, checkPatchType } from './patch/apply-patch.ts'
import type { ApiAnswer, ApiRequest } from './request.ts'
import { keyOf, type AnyObject, type Store } from './store.ts'
import type { Surface } from '../kubectl/surface/surface.ts'
import { bindPod } from './verbs/bind.ts'
import { namesNamespacedObject, namesObject, type ObjectRequest, type ResourceRequest } from './verbs/context.ts'
import { deleteObject, type Deleted, type DeleteOptions } from './verbs/delete.ts'
import { Lister } from './verbs/list.ts'
import { readScale, writeScale } from './verbs/scale.ts'
import { prepareWatch } from './verbs/watch.ts'
import { createObject, parseBody, updateObject, type Written } from './verbs/write.ts'

export interface ApiServerParts {
  readonly store: Store
  readonly definitions: Definitions
  readonly clock: Clock
  readonly random: Random
  readonly authorizer: Authorizer
  readonly admission: Admission
  /** Answers what is not a resource: discovery, schemas, health. */
  readonly surface: Surface
  /** Creations that store nothing and are answered at once, by `plural.group` or `plural.group/subresource`. */
  readonly reviews?: ReadonlyMap<string, (target: ResourceRequest) => object>
}

/** The contract of an API server as a client sees it: one request in, one answer or one watch out. */
export class ApiServer {
  readonly #parts: ApiServerParts & { readonly identities: RandomStream }
  readonly #lister: Lister

  constructor(parts: ApiServerParts) {
    this.#parts = { ...parts, identities: parts.random.stream('embedded/identities') }
    this.#lister = new Lister(parts.store)
  }

  /** Never throws: a failure is an answer with a Status. */
  async handle(request: ApiRequest): Promise<ApiAnswer> {
    try {
      return await this.#handle(request)
    } catch (error) {
      if (error instanceof NoSuchPath) return { kind: 'response', status: 404, body: error.text }
      const failure =
        error instanceof ApiFailure ? error : internal(error instanceof Error ? error.message : String(error))
      const retry = failure.details?.retryAfterSeconds
      const headers = retry === undefined ? {} : { 'retry-after': String(retry) }
      return { kind: 'response', status: failure.code, body: failure.toStatus(), headers, warnings: failure.warnings }
    }
  }

  /** Forgets the history, as etcd does: watches and lists from before now must begin again. */
  compact(): void {
    this.#parts.store.compact()
    this.#lister.forgetSnapshots()
  }

  async #handle(request: ApiRequest): Promise<ApiAnswer> {
    const path = parseResourcePath(request.path)
    if (path === undefined) return this.#answerOther(request)
    const definition = this.#parts.definitions.find(path.group, path.version, path.plural)
    if (definition === undefined) return this.#answerOther(request)
    const verb = verbOf(request.method, path, request.query)
    this.#authorize(request, path, verb)
    checkVerb(definition, path, verb)
    const target: ResourceRequest = {
      request,
      definition,
      namespace: path.namespace,
      name: path.name,
      subresource: path.subresource,
      dryRun: isDryRun(request),
    }
    if (definition.namespaced && path.namespace === undefined && verb !== 'list' && verb !== 'watch')
      throw methodNotAllowed()
    return this.#dispatch(target, verb)
  }

  #answerOther(request: ApiRequest): ApiAnswer {
    const attributes = {
      user: request.user,
      verb: request.method.toLowerCase(),
      group: '',
      resource: '',
      subresource: undefined,
      namespace: undefined,
      name: undefined,
      path: request.path,
    }
    if (!this.#parts.authorizer.authorize(attributes).allowed) throw accessDenied(attributes)
    const found = this.#parts.surface.answer(request)
    if (found === undefined) throw new NoSuchPath()
    return found
  }

  #authorize({ user }: ApiRequest, path: ResourcePath, verb: Verb): void {
    const { group, plural: resource, subresource, namespace, name } = path
    const attributes = { user, verb, group, resource, subresource, namespace, name }
    if (!this.#parts.authorizer.authorize(attributes).allowed) throw accessDenied(attributes)
  }

  async #dispatch(target: ResourceRequest, verb: Verb): Promise<ApiAnswer> {
    switch (verb) {
      case 'get':
        return this.#read(objectRequest(target))
      case 'list':
        return this.#list(target)
      case 'watch':
        return {
          kind: 'watch',
          open: this.#parts.surface.presentWatch(target.request, target.definition, prepareWatch(this.#parts, target)),
        }
      case 'create':
        return this.#create(target)
      case 'update':
        return this.#answerWritten(await this.#update(objectRequest(target)), 200, target)
      case 'patch':
        return this.#answerWritten(await this.#patch(objectRequest(target)), 200, target)
      case 'delete':
        return answerDeleted(await deleteObject(this.#parts, objectRequest(target), deleteOptionsOf(target)), target)
      case 'deletecollection':
        return this.#deleteCollection(target)
      default:
        return verb satisfies never
    }
  }

  #read(target: ObjectRequest): ApiAnswer {
    const object = this.#parts.store.get(resourceId(target.definition), keyOf(target))
    if (object === undefined) throw notFound(target.definition, target.name)
    if (target.subresource === 'scale') return answer(readScale(object))
    return answer(this.#parts.surface.present(target.request, target.definition, { kind: 'object', object }))
  }

  #list(target: ResourceRequest): ApiAnswer {
    const { items, metadata } = this.#lister.list(target)
    const { kind, group, version } = target.definition
    const list = { kind: `${kind}List`, apiVersion: group === '' ? version : `${group}/${version}`, metadata, items }
    return answer(this.#parts.surface.present(target.request, target.definition, { kind: 'list', list }))
  }

  async #create(target: ResourceRequest): Promise<ApiAnswer> {
    const warnings: string[] = []
    const id = resourceId(target.definition)
    const review = this.#parts.reviews?.get(target.subresource === undefined ? id : `${id}/${target.subresource}`)
    if (review !== undefined) return answer(review(target), 201)
    if (target.subresource === undefined)
      return this.#answerWritten(await createObject(this.#parts, target), 201, target)
    // Only objects in a namespace have subresources that can be created.
    if (!namesNamespacedObject(target)) throw methodNotAllowed()
    switch (target.subresource) {
      case 'eviction':
        return { ...answer(await evictPod(this.#parts, target, warnings), 201), warnings }
      case 'binding':
        return answer(await bindPod(this.#parts, target), 201)
      default:
        throw methodNotAllowed()
    }
  }

  #update(target: ObjectRequest): Promise<Written> {
    if (target.subresource === 'scale') return writeScale(this.#parts, target, () => target.request.body)
    const sent = parseBody(target.request.body, target.definition)
    checkNames(sent, target)
    return updateObject(this.#parts, target, () => sent)
  }

  #patch(target: ObjectRequest): Promise<Written> {
    const { request, definition } = target
    const contentType = request.headers['content-type'] ?? ''
    checkPatchType(contentType, definition.mergeKeys)
    if (target.subresource === 'scale') {
      return writeScale(this.#parts, target, (scale) => applyPatch(contentType, request.body, scale, undefined))
    }
    return updateObject(this.#parts, target, (old) => {
      const patched = parseBody(applyPatch(contentType, request.body, old, definition.mergeKeys), definition)
      checkNames(patched, target)
      return patched
    })
  }

  async #deleteCollection(target: ResourceRequest): Promise<ApiAnswer> {
    const { items, metadata } = this.#lister.list(target)
    const options = deleteOptionsOf(target)
    for (const {
      metadata: { name, namespace },
    } of items) {
      await deleteObject(this.#parts, { ...target, name, namespace }, options, target)
    }
    const { kind, group, version } = target.definition
    return answer({ kind: `${kind}List`, apiVersion: group === '' ? version : `${group}/${version}`, metadata, items })
  }

  #answerWritten({ object, warnings }: Written, status: number, { request, definition }: ResourceRequest): ApiAnswer {
    return {
      kind: 'response',
      status,
      warnings,
      body: this.#parts.surface.present(request, definition, { kind: 'object', object }),
    }
  }
}

function answer(body: unknown, status = 200): ApiAnswer & { kind: 'response' } {
  return { kind: 'response', status, body }
}

/** What is gone at once is answered with a Status, what is still on its way out with itself; pods always with themselves. */
function answerDeleted({ object, isGone, warnings }: Deleted, { definition }: ResourceRequest): ApiAnswer {
  const { name, uid } = object.metadata
  const details = {
    name,
    ...(definition.group === '' ? {} : { group: definition.group }),
    kind: definition.plural,
    uid,
  }
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
  const returnsObject = !isGone || (definition.group === '' && definition.plural === 'pods')
  return { kind: 'response', status: 200, warnings, body: returnsObject ? object : status }
}

function objectRequest(target: ResourceRequest): ObjectRequest {
  if (!namesObject(target)) throw methodNotAllowed()
  return target
}

function checkVerb(definition: ResourceDefinition, path: ResourcePath, verb: Verb): void {
  if (path.subresource !== undefined) {
    const subresource = definition.subresources.find(({ name }) => name === path.subresource)
    if (subresource === undefined) throw noSuchSubresource()
    if (!subresource.verbs.includes(verb)) throw methodNotAllowed()
    return
  }
  const verbs = definition.verbs ?? allVerbs
  const needsName = verb === 'update' || verb === 'patch'
  if (
    !verbs.includes(verb) ||
    (needsName && path.name === undefined) ||
    (verb === 'create' && path.name !== undefined)
  ) {
    throw methodNotAllowed()
  }
}

function checkNames({ metadata }: AnyObject, { name, namespace }: ObjectRequest): void {
  if (metadata.name !== name) {
    const sent = shownName(metadata.name)
    throw badRequest(`the name of the object (${sent}) does not match the name on the URL (${name})`)
  }
  if (metadata.namespace !== undefined && metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
}

const optionKinds = {
  GET: 'GetOptions',
  POST: 'CreateOptions',
  PUT: 'UpdateOptions',
  PATCH: 'PatchOptions',
  DELETE: 'DeleteOptions',
}

function isDryRun({ method, query }: ApiRequest): boolean {
  const { dryRun = '' } = query
  if (dryRun === '' || dryRun === 'All') return dryRun === 'All'
  const message = `Unsupported value: ["${dryRun}"]: supported values: "All"`
  throw invalid(optionKinds[method], 'meta.k8s.io', '', [{ field: 'dryRun', kind: 'NotSupported', message }])
}

/** They come in the body, or in the query from clients that send none: never in both. */
function deleteOptionsOf({ request: { body, query }, dryRun }: ResourceRequest): DeleteOptions {
  if (typeof body === 'object' && body !== null) return body
  const { gracePeriodSeconds, propagationPolicy } = query
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: Number(gracePeriodSeconds) }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun ? { dryRun: ['All'] } : {}),
  }
}
