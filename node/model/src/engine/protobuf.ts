/**
 * A writer of protocol buffer messages: the few wire types that ONNX needs.
 *
 * @see https://protobuf.dev/programming-guides/encoding/
 */
export class ProtobufWriter {
  readonly #parts: Uint8Array[] = []
  #bytes: number[] = []

  /** A variable-length integer field (int64, enum); negative numbers take ten bytes. */
  int(field: number, x: number | bigint): this {
    this.#varint(field << 3)
    this.#varint(x)
    return this
  }

  float(field: number, x: number): this {
    this.#varint((field << 3) | 5)
    this.#bytes.push(...new Uint8Array(Float32Array.of(x).buffer))
    return this
  }

  bytes(field: number, data: Uint8Array): this {
    this.#varint((field << 3) | 2)
    this.#varint(data.length)
    this.#flush()
    this.#parts.push(data)
    return this
  }

  string(field: number, text: string): this {
    return this.bytes(field, new TextEncoder().encode(text))
  }

  message(field: number, message: ProtobufWriter): this {
    return this.bytes(field, message.finish())
  }

  finish(): Uint8Array {
    this.#flush()
    const out = new Uint8Array(this.#parts.reduce((n, part) => n + part.length, 0))
    let offset = 0
    for (const part of this.#parts) {
      out.set(part, offset)
      offset += part.length
    }
    return out
  }

  #varint(x: number | bigint): void {
    let rest = BigInt.asUintN(64, BigInt(x))
    while (rest > 127n) {
      this.#bytes.push(Number(rest & 127n) | 128)
      rest >>= 7n
    }
    this.#bytes.push(Number(rest))
  }

  #flush(): void {
    if (this.#bytes.length === 0) return
    this.#parts.push(Uint8Array.from(this.#bytes))
    this.#bytes = []
  }
}
