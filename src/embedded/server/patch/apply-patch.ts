import type { MergeKeys } from '../definition.ts'
import { ApiFailure, badRequest, invalid, unsupportedMediaType } from '../failure.ts'
import type { AnyObject } from '../store.ts'
import { jsonPatch, jsonTypeOf } from './json-patch.ts'
import { checkDepth, isObject, type JsonObject } from './json.ts'
import { mergePatch } from './merge-patch.ts'
import { strategicMergePatch } from './strategic-merge-patch.ts'

const jsonPatchType = 'application/json-patch+json'
const mergePatchType = 'application/merge-patch+json'
const strategicMergePatchType = 'application/strategic-merge-patch+json'
const applyPatchTypes: ReadonlySet<string> = new Set(['application/apply-patch+yaml', 'application/apply-patch+cbor'])

/**
 * What a patch makes of an object, which stays as it is. Without merge keys it is a custom resource, which knows no
 * strategic merge patches. The caller checks that the name is still that of the URL.
 */
export function applyPatch(
  contentType: string,
  patch: unknown,
  object: AnyObject,
  mergeKeys: MergeKeys | undefined,
): AnyObject {
  const change = changeOf(mediaTypeOf(contentType), mergeKeys)
  checkDepth(patch)
  return checkObject(change(object, patch))
}

/** Refuses a type of patch that is not known, before the server looks for the object: it may not be there yet. */
export function checkPatchType(contentType: string, mergeKeys: MergeKeys | undefined): void {
  changeOf(mediaTypeOf(contentType), mergeKeys)
}

function mediaTypeOf(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim()
}

type Change = (object: Readonly<JsonObject>, patch: unknown) => unknown

function changeOf(mediaType: string, mergeKeys: MergeKeys | undefined): Change {
  if (mediaType === jsonPatchType) return jsonPatch
  if (mediaType === mergePatchType) {
    return (object, patch) => mergePatch(object, objectOf(patch, 'error decoding patch: '))
  }
  if (mediaType === strategicMergePatchType && mergeKeys !== undefined) {
    return (object, patch) => strategicMergePatch(object, objectOf(patch, ''), mergeKeys)
  }
  if (applyPatchTypes.has(mediaType)) {
    throw unsupportedMediaType(
      `the embedded cluster leaves server-side apply (${mediaType}) out on purpose: use a merge patch, or kubectl apply without --server-side`,
    )
  }
  // For built-in kinds the real server's router refuses it, before any code for patches runs.
  if (mergeKeys !== undefined) throw new ApiFailure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})
  const accepted = `${jsonPatchType}, ${mergePatchType}`
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  )
}

function objectOf(patch: unknown, prefix: string): JsonObject {
  if (isObject(patch)) return patch
  throw badRequest(`${prefix}json: cannot unmarshal ${jsonTypeOf(patch)} into Go value of type map[string]interface {}`)
}

/** A patch can turn an object into anything; what is none any more cannot be decoded. */
function checkObject(patched: unknown): AnyObject {
  if (isObject(patched) && isObject(patched['metadata'] ?? {})) {
    return { ...patched, metadata: patched['metadata'] ?? {} }
  }
  const shown = JSON.stringify(JSON.stringify(patched))
  throw invalid('', '', '', [
    { field: 'patch', kind: 'Invalid', message: `Invalid value: ${shown}: the patched object has no metadata` },
  ])
}
