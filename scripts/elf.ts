// What a program or library for Linux says of itself: for which machine it is, and which libraries it needs. Read from
// its bytes, so that it does not matter on which machine that happens.

export type Architecture = 'amd64' | 'arm64'

export interface Elf {
  readonly architecture: Architecture
  /** What starts it: `/lib/ld-linux-aarch64.so.1`. Libraries have none. */
  readonly interpreter: string | undefined
  /** `libc.so.6`, in the order of the file. */
  readonly needed: readonly string[]
  /** Folders to look for these in first, as `DT_RUNPATH` has them. */
  readonly runPath: readonly string[]
  /** By library, the versions of its interface that are needed: `libc.so.6` has `GLIBC_2.28`. */
  readonly neededVersions: ReadonlyMap<string, readonly string[]>
  /** The versions that a library itself offers. */
  readonly versions: readonly string[]
}

const machines: ReadonlyMap<number, Architecture> = new Map([
  [62, 'amd64'],
  [183, 'arm64'],
])
const segmentTypes = { load: 1, dynamic: 2, interpreter: 3 }
const tags = {
  needed: 1n,
  strings: 5n,
  runPath: 29n,
  versions: 0x6ffffffcn,
  versionCount: 0x6ffffffdn,
  neededVersions: 0x6ffffffen,
  neededVersionCount: 0x6fffffffn,
}
/** A version that a program can do without. */
const weak = 2
/** More entries than any real file has: a broken one must not be read without end. */
const entriesMax = 10_000

interface Segment {
  readonly type: number
  readonly offset: number
  readonly address: bigint
  readonly size: number
}

export function isElf(content: Buffer): boolean {
  return content.subarray(0, 4).equals(Buffer.from('\x7fELF', 'latin1'))
}

export function parseElf(content: Buffer): Elf {
  const is64LittleEndian = content[4] === 2 && content[5] === 1
  const architecture = machines.get(content.length < 64 ? 0 : content.readUInt16LE(18))
  if (!isElf(content) || !is64LittleEndian || architecture === undefined) {
    throw new Error('not a program or library for Linux on amd64 or arm64')
  }
  const segments = segmentsOf(content)
  const interpreter = segments.find(({ type }) => type === segmentTypes.interpreter)
  const dynamic = dynamicEntries(content, segments)
  const at = (tag: bigint) => {
    const address = dynamic.find(([known]) => known === tag)?.[1]
    return address === undefined ? undefined : offsetOf(segments, address)
  }
  const strings = at(tags.strings) ?? 0
  const textAt = (index: number) => text(content, strings + index)
  const all = (tag: bigint) => dynamic.filter(([known]) => known === tag).map(([, value]) => Number(value))
  const countOf = (tag: bigint) => Math.min(all(tag)[0] ?? 0, entriesMax)
  return {
    architecture,
    interpreter: interpreter === undefined ? undefined : text(content, interpreter.offset),
    needed: all(tags.needed).map(textAt),
    runPath: all(tags.runPath).flatMap((index) => textAt(index).split(':')),
    neededVersions: neededVersionsAt(content, at(tags.neededVersions) ?? 0, countOf(tags.neededVersionCount), textAt),
    versions: versionsAt(content, at(tags.versions) ?? 0, countOf(tags.versionCount), textAt),
  }
}

function segmentsOf(content: Buffer): Segment[] {
  const begin = Number(content.readBigUInt64LE(32))
  const size = content.readUInt16LE(54)
  return Array.from({ length: content.readUInt16LE(56) }, (_, index) => {
    const at = begin + index * size
    return {
      type: content.readUInt32LE(at),
      offset: Number(content.readBigUInt64LE(at + 8)),
      address: content.readBigUInt64LE(at + 16),
      size: Number(content.readBigUInt64LE(at + 32)),
    }
  })
}

function dynamicEntries(content: Buffer, segments: readonly Segment[]): [tag: bigint, value: bigint][] {
  const dynamic = segments.find(({ type }) => type === segmentTypes.dynamic)
  if (dynamic === undefined) return []
  const entries = Array.from({ length: Math.min(dynamic.size / 16, entriesMax) }, (_, index): [bigint, bigint] => {
    const at = dynamic.offset + index * 16
    return [content.readBigUInt64LE(at), content.readBigUInt64LE(at + 8)]
  })
  const end = entries.findIndex(([tag]) => tag === 0n)
  return end === -1 ? entries : entries.slice(0, end)
}

/** Where in the file something is that will be at this address in memory. */
function offsetOf(segments: readonly Segment[], address: bigint): number {
  const within = segments.find(
    ({ type, address: begin, size }) =>
      type === segmentTypes.load && begin <= address && address < begin + BigInt(size),
  )
  if (within === undefined) throw new Error(`nothing of the file is at address ${address.toString(16)}`)
  return within.offset + Number(address - within.address)
}

function neededVersionsAt(
  content: Buffer,
  begin: number,
  count: number,
  textAt: (index: number) => string,
): Map<string, string[]> {
  const found = new Map<string, string[]>()
  let at = begin
  for (let entry = 0; entry < count; entry++) {
    const names: string[] = []
    let part = at + content.readUInt32LE(at + 8)
    for (let left = content.readUInt16LE(at + 2); left > 0; left--) {
      if ((content.readUInt16LE(part + 4) & weak) === 0) names.push(textAt(content.readUInt32LE(part + 8)))
      part += content.readUInt32LE(part + 12)
    }
    found.set(textAt(content.readUInt32LE(at + 4)), names)
    at += content.readUInt32LE(at + 12)
  }
  return found
}

function versionsAt(content: Buffer, begin: number, count: number, textAt: (index: number) => string): string[] {
  const found: string[] = []
  let at = begin
  for (let entry = 0; entry < count; entry++) {
    found.push(textAt(content.readUInt32LE(at + content.readUInt32LE(at + 12))))
    at += content.readUInt32LE(at + 16)
  }
  return found
}

function text(content: Buffer, at: number): string {
  return content.toString('latin1', at, content.indexOf(0, at))
}
