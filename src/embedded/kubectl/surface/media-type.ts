/** One of the types that an Accept header lists, or the type of a body. */
export interface MediaType {
  /** `application/json`, in lower case. */
  readonly type: string
  readonly parameters: Readonly<Record<string, string>>
}

/** In the order of preference: as they come, unless they carry a quality. */
export function parseAccept(header: string): MediaType[] {
  const types = header
    .split(',')
    .map((part) => parseMediaType(part))
    .filter(({ type }) => type !== '')
  return types.toSorted((one, other) => qualityOf(other) - qualityOf(one)).filter((type) => qualityOf(type) > 0)
}

export function parseMediaType(text: string): MediaType {
  const [type = '', ...rest] = text.split(';')
  const parameters: Record<string, string> = {}
  for (const part of rest) {
    const at = part.indexOf('=')
    if (at > 0)
      parameters[part.slice(0, at).trim().toLowerCase()] = part
        .slice(at + 1)
        .trim()
        .replaceAll('"', '')
  }
  return { type: type.trim().toLowerCase(), parameters }
}

function qualityOf({ parameters }: MediaType): number {
  const quality = Number(parameters['q'] ?? 1)
  return Number.isFinite(quality) ? quality : 0
}

/** Shapes other than the object itself that a client can ask for with `as=`. */
export type Shape = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'

const shapes: ReadonlySet<string> = new Set<Shape>(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'])

export interface Representation {
  readonly encoding: 'json' | 'yaml'
  readonly shape: Shape | undefined
  /** Of meta.k8s.io. */
  readonly shapeVersion: string
}

const asIs: Representation = { encoding: 'json', shape: undefined, shapeVersion: '' }

/** The first representation of the list that this server has; undefined: none of them. No list is satisfied by JSON. */
export function negotiate(accept: string | undefined): Representation | undefined {
  // By far the most of them, and not worth a parser.
  if (accept === undefined || accept === 'application/json' || accept.trim() === '') return asIs
  for (const mediaType of parseAccept(accept)) {
    const representation = representationOf(mediaType)
    if (representation !== undefined) return representation
  }
  return undefined
}

function representationOf({ type, parameters }: MediaType): Representation | undefined {
  const encoding = encodings[type]
  if (encoding === undefined) return undefined
  const { as, g: group, v: version = '' } = parameters
  if (as === undefined) return { ...asIs, encoding }
  // Discovery documents have a shape of their own, which only discovery looks at.
  if (!shapes.has(as)) return group === 'apidiscovery.k8s.io' ? { ...asIs, encoding } : undefined
  const isKnown = group === 'meta.k8s.io' && (version === 'v1' || version === 'v1beta1')
  return isKnown ? { encoding, shape: as as Shape, shapeVersion: version } : undefined
}

const encodings: Readonly<Record<string, Representation['encoding']>> = {
  'application/json': 'json',
  'application/*': 'json',
  '*/*': 'json',
  'application/yaml': 'yaml',
}
