import type { Architecture } from '../../scripts/elf.ts'

export interface FakeElf {
  readonly architecture?: Architecture
  readonly interpreter?: string
  readonly needed?: readonly string[]
  readonly runPath?: string
  /** With `?` at the end: it can be done without. */
  readonly neededVersions?: Readonly<Record<string, readonly string[]>>
  readonly versions?: readonly string[]
}

/** Where memory begins: in files that were linked it is another number than that in the file. */
const base = 0x400000n
const headerSize = 64
const segmentSize = 56

/** A file that says what a program or library for Linux says of itself, and does nothing. */
export function fakeElf(elf: FakeElf): Buffer {
  const strings = new Strings()
  const dynamic: [tag: number, value: number | bigint][] = []
  for (const name of elf.needed ?? []) dynamic.push([1, strings.add(name)])
  if (elf.runPath !== undefined) dynamic.push([29, strings.add(elf.runPath)])
  const needed = Object.entries(elf.neededVersions ?? {})
  const versionNeeds = needed.map(([library, names], at) =>
    versionNeed(strings, library, names, at === needed.length - 1),
  )
  const versions = elf.versions ?? []
  const definitions = versions.map((name, at) => definition(strings, name, at === versions.length - 1))
  const parts: Buffer[] = []
  let at = headerSize + 3 * segmentSize
  const place = (part: Buffer) => {
    const offset = at
    parts.push(part)
    at += part.length
    return offset
  }
  const interpreter = Buffer.from(`${elf.interpreter ?? ''}\0`, 'latin1')
  const interpreterAt = place(interpreter)
  dynamic.push([5, base + BigInt(place(strings.bytes()))])
  if (needed.length > 0) {
    dynamic.push([0x6ffffffe, base + BigInt(place(Buffer.concat(versionNeeds)))], [0x6fffffff, needed.length])
  }
  if (versions.length > 0) {
    dynamic.push([0x6ffffffc, base + BigInt(place(Buffer.concat(definitions)))], [0x6ffffffd, versions.length])
  }
  // What follows the end of the list is not a part of it.
  const entries = [...dynamic, [0, 0], [1, 1]] as const
  const dynamicAt = place(Buffer.concat(entries.map(([tag, value]) => words64(tag, value))))
  const isProgram = elf.interpreter !== undefined
  const segments = [
    segment(1, 0, at),
    segment(2, dynamicAt, at - dynamicAt),
    segment(isProgram ? 3 : 0, interpreterAt, interpreter.length),
  ]
  return Buffer.concat([header(elf.architecture ?? 'arm64', segments.length), ...segments, ...parts])
}

class Strings {
  #text = '\0'

  add(name: string): number {
    const at = this.#text.length
    this.#text += `${name}\0`
    return at
  }

  bytes(): Buffer {
    return Buffer.from(this.#text, 'latin1')
  }
}

function words64(...values: readonly (number | bigint)[]): Buffer {
  const buffer = Buffer.alloc(values.length * 8)
  for (const [at, value] of values.entries()) buffer.writeBigUInt64LE(BigInt(value), at * 8)
  return buffer
}

function header(architecture: Architecture, segments: number): Buffer {
  const buffer = Buffer.alloc(headerSize)
  buffer.write('\x7fELF\x02\x01\x01', 'latin1')
  buffer.writeUInt16LE(architecture === 'amd64' ? 62 : 183, 18)
  buffer.writeBigUInt64LE(BigInt(headerSize), 32)
  buffer.writeUInt16LE(segmentSize, 54)
  buffer.writeUInt16LE(segments, 56)
  return buffer
}

function segment(type: number, offset: number, size: number): Buffer {
  const buffer = Buffer.alloc(segmentSize)
  buffer.writeUInt32LE(type, 0)
  words64(offset, base + BigInt(offset), base + BigInt(offset), size, size).copy(buffer, 8)
  return buffer
}

function versionNeed(strings: Strings, library: string, names: readonly string[], isLast: boolean): Buffer {
  const buffer = Buffer.alloc(16 * (1 + names.length))
  buffer.writeUInt16LE(1, 0)
  buffer.writeUInt16LE(names.length, 2)
  buffer.writeUInt32LE(strings.add(library), 4)
  buffer.writeUInt32LE(16, 8)
  buffer.writeUInt32LE(isLast ? 0 : buffer.length, 12)
  for (const [index, name] of names.entries()) {
    const at = 16 * (1 + index)
    buffer.writeUInt16LE(name.endsWith('?') ? 2 : 0, at + 4)
    buffer.writeUInt32LE(strings.add(name.replace('?', '')), at + 8)
    buffer.writeUInt32LE(index === names.length - 1 ? 0 : 16, at + 12)
  }
  return buffer
}

function definition(strings: Strings, name: string, isLast: boolean): Buffer {
  const buffer = Buffer.alloc(28)
  buffer.writeUInt16LE(1, 0)
  buffer.writeUInt16LE(1, 6)
  buffer.writeUInt32LE(20, 12)
  buffer.writeUInt32LE(isLast ? 0 : buffer.length, 16)
  buffer.writeUInt32LE(strings.add(name), 20)
  return buffer
}
