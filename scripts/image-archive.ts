import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { finished } from 'node:stream/promises'

// Writes a container image as one tar, as `docker save` does: what `docker load` and `ctr images import` read. The same
// content gives the same bytes, whoever builds it and when.

export type ImageEntry =
  | { readonly kind: 'file'; readonly path: string; readonly content: Buffer; readonly executable?: boolean }
  | { readonly kind: 'folder'; readonly path: string; readonly writable?: boolean }

export interface Image {
  /** `NAME:TAG`. */
  readonly reference: string
  readonly architecture: string
  /** From the bottom to the top; paths without a leading slash, each folder before what is in it. */
  readonly layers: readonly (readonly ImageEntry[])[]
  readonly config: {
    readonly User?: string
    readonly Entrypoint: readonly string[]
    readonly Cmd?: readonly string[]
    readonly Env?: readonly string[]
    readonly WorkingDir?: string
    readonly Labels?: Readonly<Record<string, string>>
  }
}

const blockSize = 512

export async function writeImage(path: string, image: Image): Promise<void> {
  const layers = image.layers.map((entries) => {
    const chunks = tarOf(entries)
    const hash = createHash('sha256')
    for (const chunk of chunks) hash.update(chunk)
    return { digest: hash.digest('hex'), chunks, size: chunks.reduce((sum, { length }) => sum + length, 0) }
  })
  const config = Buffer.from(JSON.stringify(configOf(image, layers)))
  const configName = `${createHash('sha256').update(config).digest('hex')}.json`
  const layerName = ({ digest }: { readonly digest: string }) => `${digest}.tar`
  const manifest = [{ Config: configName, RepoTags: [image.reference], Layers: layers.map(layerName) }]
  const stream = createWriteStream(path)
  const write = async (chunk: Buffer) => {
    if (!stream.write(chunk)) await once(stream, 'drain')
  }
  const writeFile = async (name: string, chunks: readonly Buffer[], size: number) => {
    await write(header({ path: name, size, mode: 0o644, type: '0' }))
    for (const chunk of chunks) await write(chunk)
    await write(padding(size))
  }
  await writeFile(configName, [config], config.length)
  for (const layer of layers) await writeFile(layerName(layer), layer.chunks, layer.size)
  const text = Buffer.from(JSON.stringify(manifest))
  await writeFile('manifest.json', [text], text.length)
  stream.end(Buffer.alloc(2 * blockSize))
  await finished(stream)
}

function configOf({ architecture, config }: Image, layers: readonly { readonly digest: string }[]): object {
  return {
    architecture,
    os: 'linux',
    created: '1970-01-01T00:00:00Z',
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => `sha256:${digest}`) },
    history: layers.map(() => ({ created: '1970-01-01T00:00:00Z', created_by: 'lifeboat' })),
  }
}

export function tarOf(entries: readonly ImageEntry[]): Buffer[] {
  const chunks = entries.flatMap((entry) => {
    if (entry.kind === 'folder') {
      return [header({ path: `${entry.path}/`, size: 0, mode: modeOf(entry), type: '5' })]
    }
    const { content, path } = entry
    return [header({ path, size: content.length, mode: modeOf(entry), type: '0' }), content, padding(content.length)]
  })
  return [...chunks, Buffer.alloc(2 * blockSize)]
}

export function modeOf(entry: ImageEntry): number {
  if (entry.kind === 'folder') return entry.writable === true ? 0o1777 : 0o755
  return entry.executable === true ? 0o755 : 0o644
}

function header(entry: { path: string; size: number; mode: number; type: '0' | '5' }): Buffer {
  const block = Buffer.alloc(blockSize)
  if (Buffer.byteLength(entry.path) > 100) throw new Error(`${entry.path} is too long a name for a tar`)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  block.write(entry.path, 0)
  block.write(`${octal(entry.mode, 7)}\0`, 100)
  block.write(`${octal(0, 7)}\0`, 108)
  block.write(`${octal(0, 7)}\0`, 116)
  block.write(`${octal(entry.size, 11)}\0`, 124)
  block.write(`${octal(0, 11)}\0`, 136)
  block.write('        ', 148)
  block.write(entry.type, 156)
  block.write('ustar\x0000', 257, 'latin1')
  block.write('root', 265)
  block.write('root', 297)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 6)}\0 `, 148)
  return block
}

function padding(size: number): Buffer {
  return Buffer.alloc((blockSize - (size % blockSize)) % blockSize)
}
