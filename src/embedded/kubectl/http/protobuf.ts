import { badRequest, unsupportedMediaType } from '../../server/failure.ts'
import { isNestedTooDeep } from './nesting.ts'
import layouts from './protobuf-messages.json' with { type: 'json' }
import { WireReader } from './wire-reader.ts'

// Typed Go clients, kubectl's drain and create among them, send built-in kinds in protobuf and never fall back to JSON.
// They take JSON for an answer, so this only reads.

const magic = Buffer.of(0x6b, 0x38, 0x73, 0x00)

type Json = string | number | boolean | null | Json[] | { [field: string]: Json }

interface FieldLayout {
  /** Undefined: its fields stand among those of the message around it. */
  readonly name: string | undefined
  readonly type: string
  readonly shape: 'single' | 'list' | 'map'
  /** Zero means that it was not given. */
  readonly isLeftOutWhenZero: boolean
}

type Layout = ReadonlyMap<number, FieldLayout>

const parsedLayouts = new Map<string, Layout>()

/** The object in the envelope that Kubernetes puts around protobuf, as JSON would have it. */
export function decodeProtobuf(bytes: Uint8Array): unknown {
  if (magic.compare(bytes.subarray(0, magic.length)) !== 0) {
    throw badRequest('provided data does not appear to be a protobuf message, expected prefix 6b387300')
  }
  try {
    const envelope = decodeMessage('runtime.Unknown', bytes.subarray(magic.length)) as {
      typeMeta?: { apiVersion?: string; kind?: string }
      raw?: string
    }
    const { apiVersion = '', kind = '' } = envelope.typeMeta ?? {}
    const object = decodeMessage(messageOf(apiVersion, kind), Buffer.from(envelope.raw ?? '', 'base64'))
    return { apiVersion, kind, ...(object as object) }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw badRequest(`the body is not a protobuf message: ${error.message}`)
  }
}

/** `apps/v1`, `Deployment` → `apps.v1.Deployment`; groups of Kubernetes drop what follows the first dot. */
function messageOf(apiVersion: string, kind: string): string {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion]
  const name = kind === 'DeleteOptions' ? 'meta.v1.DeleteOptions' : `${group?.split('.')[0]}.${version}.${kind}`
  if (Object.hasOwn(layouts, name)) return name
  throw unsupportedMediaType(
    `${kind} in version "${apiVersion}" is not understood in protobuf here - accepted media types include: application/json, application/yaml`,
  )
}

function decodeMessage(name: string, bytes: Uint8Array): Json {
  const fields: { [field: string]: Json } = {}
  const reader = new WireReader(bytes)
  const layout = layoutOf(name)
  for (let tag = reader.nextTag(); tag !== undefined; tag = reader.nextTag()) {
    const field = layout.get(tag.field)
    if (field === undefined) reader.skip(tag.wireType)
    else addField(fields, field, reader)
  }
  return asJson(name, fields)
}

function addField(fields: { [field: string]: Json }, field: FieldLayout, reader: WireReader): void {
  if (field.shape === 'map' && field.name !== undefined) {
    const [key, value] = decodeEntry(field.type, reader.bytes())
    const map = (fields[field.name] ??= {}) as { [key: string]: Json }
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true })
    return
  }
  const value = decodeValue(field.type, reader)
  if (field.name === undefined) Object.assign(fields, value)
  else if (field.shape === 'list') listOf(fields, field.name).push(value)
  else if (!(value === null || (field.isLeftOutWhenZero && isZero(value)))) fields[field.name] = value
}

function listOf(fields: { [field: string]: Json }, name: string): Json[] {
  const list = fields[name]
  return Array.isArray(list) ? list : (fields[name] = [])
}

function decodeEntry(type: string, bytes: Uint8Array): [string, Json] {
  const reader = new WireReader(bytes)
  let key = ''
  let value: Json | undefined
  for (let tag = reader.nextTag(); tag !== undefined; tag = reader.nextTag()) {
    if (tag.field === 1) key = reader.text()
    else if (tag.field === 2) value = decodeValue(type, reader)
    else reader.skip(tag.wireType)
  }
  return [key, value ?? (Object.hasOwn(layouts, type) ? {} : '')]
}

function decodeValue(type: string, reader: WireReader): Json {
  switch (type) {
    case 'string':
      return reader.text()
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64')
    case 'bool':
      return reader.integer() !== 0
    case 'int32':
    case 'int64':
      return reader.integer()
    default:
      return decodeMessage(type, reader.bytes())
  }
}

/** Some messages stand for something simpler in JSON. */
function asJson(name: string, fields: { [field: string]: Json }): Json {
  switch (name) {
    case 'meta.v1.Time':
      return timeOf(fields, 0)
    case 'meta.v1.MicroTime':
      return timeOf(fields, 6)
    case 'api.resource.Quantity':
      return fields['string'] ?? '0'
    case 'util.intstr.IntOrString':
      return fields['type'] === 1 ? (fields['strVal'] ?? '') : (fields['intVal'] ?? 0)
    case 'runtime.RawExtension':
    case 'meta.v1.FieldsV1':
      return embeddedJson(fields['raw'] ?? fields['Raw'])
    case 'authentication.v1.ExtraValue':
    case 'authorization.v1.ExtraValue':
      return fields['items'] ?? []
    default:
      return fields
  }
}

/** No seconds at all is no time. */
function timeOf({ seconds, nanos }: { [field: string]: Json }, fractionDigits: 0 | 6): Json {
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return null
  const whole = new Date(seconds * 1_000).toISOString().slice(0, 19)
  if (fractionDigits === 0) return `${whole}Z`
  const micros = Math.floor(Number(nanos ?? 0) / 1_000)
  return `${whole}.${String(micros).padStart(6, '0')}Z`
}

function embeddedJson(raw: Json | undefined): Json {
  if (typeof raw !== 'string' || raw === '') return null
  const bytes = Buffer.from(raw, 'base64')
  if (isNestedTooDeep(bytes)) throw new RangeError('an object in it exceeded max depth')
  try {
    return JSON.parse(bytes.toString('utf8')) as Json
  } catch {
    throw new RangeError('an object in it is not JSON')
  }
}

function isZero(value: Json): boolean {
  return value === '' || value === 0 || value === false || (typeof value === 'object' && isEmpty(value))
}

function isEmpty(value: object | null): boolean {
  return value === null || Object.keys(value).length === 0
}

function layoutOf(name: string): Layout {
  let layout = parsedLayouts.get(name)
  if (layout === undefined) {
    const text = (layouts as Readonly<Record<string, string>>)[name]
    layout = text === undefined ? new Map() : parseLayout(text)
    parsedLayouts.set(name, layout)
  }
  return layout
}

/** `1 ?metadata meta.v1.ObjectMeta, 2 ^ core.v1.VolumeSource, 3 finalizers []string`. */
function parseLayout(text: string): Layout {
  const fields = text.split(', ').map((part): [number, FieldLayout] => {
    const [number, marked = '', type = ''] = part.split(' ')
    const name = marked.replace(/^\?/, '')
    const shape = type.startsWith('[]') ? 'list' : type.startsWith('{}') ? 'map' : 'single'
    return [
      Number(number),
      {
        name: name === '^' ? undefined : name,
        type: shape === 'single' ? type : type.slice(2),
        shape,
        isLeftOutWhenZero: marked.startsWith('?'),
      },
    ]
  })
  return new Map(fields)
}
