import type { FieldFault } from '../failure.ts'
import { fieldOf, isObject, setField, type JsonObject } from '../patch/json.ts'
import { invalidValue } from '../schema/fault.ts'
import type { AnyObject } from '../store.ts'
import type { ScalePaths } from './definition-source.ts'

const replicasMax = 2 ** 31 - 1

/** What the scale subresource of a custom resource shows. */
export interface ScaleValues {
  readonly specReplicas: number
  readonly statusReplicas: number
  readonly selector: string
}

export function readScale(object: AnyObject, paths: ScalePaths): ScaleValues {
  const count = (path: string) => {
    const value = valueAt(object, path)
    return typeof value === 'number' ? value : 0
  }
  const selector = paths.labelSelectorPath === undefined ? '' : valueAt(object, paths.labelSelectorPath)
  return {
    specReplicas: count(paths.specReplicasPath),
    statusReplicas: count(paths.statusReplicasPath),
    selector: typeof selector === 'string' ? selector : '',
  }
}

export function withReplicas(object: AnyObject, { specReplicasPath }: ScalePaths, replicas: number): AnyObject {
  const put = (from: unknown, [name, ...rest]: readonly string[]): JsonObject => {
    const copy: JsonObject = isObject(from) ? { ...from } : {}
    if (name === undefined) return copy
    setField(copy, name, rest.length === 0 ? replicas : put(fieldOf(copy, name), rest))
    return copy
  }
  return put(object, namesOf(specReplicasPath)) as AnyObject
}

export function scaleFaults(object: AnyObject, paths: ScalePaths | undefined): FieldFault[] {
  if (paths === undefined) return []
  return [paths.specReplicasPath, paths.statusReplicasPath].flatMap((path) => {
    const value = valueAt(object, path) ?? 0
    if (typeof value !== 'number')
      return [invalidValue(path, 0, `${path} accessor error: ${JSON.stringify(value)} is not a number`)]
    if (value < 0) return [invalidValue(path, value, 'should be a non-negative integer')]
    return value > replicasMax ? [invalidValue(path, value, `should be less than or equal to ${replicasMax}`)] : []
  })
}

function valueAt(object: unknown, path: string): unknown {
  return namesOf(path).reduce<unknown>((value, name) => (isObject(value) ? fieldOf(value, name) : undefined), object)
}

function namesOf(path: string): string[] {
  return path.replace(/^\./, '').split('.')
}
