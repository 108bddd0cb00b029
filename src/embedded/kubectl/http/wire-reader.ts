const utf8 = new TextDecoder()

/** Reads the wire format of protobuf: fields one after the other, each with its number and how long it is. */
export class WireReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Undefined at the end. */
  nextTag(): { readonly field: number; readonly wireType: number } | undefined {
    if (this.#at >= this.#bytes.length) return undefined
    const tag = this.#varint()
    return { field: Number(tag >> 3n), wireType: Number(tag & 7n) }
  }

  integer(): number {
    return Number(BigInt.asIntN(64, this.#varint()))
  }

  text(): string {
    return utf8.decode(this.bytes())
  }

  bytes(): Uint8Array {
    const length = Number(this.#varint())
    return this.#take(length)
  }

  skip(wireType: number): void {
    switch (wireType) {
      case 0:
        this.#varint()
        return
      case 1:
        this.#take(8)
        return
      case 2:
        this.bytes()
        return
      case 5:
        this.#take(4)
        return
      default:
        throw new RangeError(`wire type ${wireType} is not known`)
    }
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length
    if (end > this.#bytes.length) throw new RangeError('it ends in the middle of a field')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  #varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw new RangeError('it ends in the middle of a number')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new RangeError('a number is longer than ten bytes')
  }
}
