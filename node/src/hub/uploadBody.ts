/** A connection that takes fewer bytes than this in the time of a stall is too slow to be used. */
const PIECE_BYTES = 64 * 1024

/** A request's body as it is sent. */
export type UploadBody = {
  readonly bytes: number
  /** Bytes that the connection has taken. */
  readonly taken: () => number
  /** For `fetch`. The length is stated: storage takes no upload of unknown length. */
  readonly init: { readonly body: ReadableStream<Uint8Array>; readonly headers: Headers; readonly duplex: 'half' }
}

/** @param onTaken - called each time that the connection has taken a piece. */
export function uploadBody(
  content: string | Blob,
  headers: Readonly<Record<string, string>>,
  onTaken: () => void,
): UploadBody {
  const blob = typeof content === 'string' ? new Blob([content]) : content
  let taken = 0
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for await (const chunk of blob.stream())
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        const piece = chunk.subarray(at, at + PIECE_BYTES)
        yield piece
        taken += piece.length
        onTaken()
      }
  }
  const withLength = new Headers(headers)
  withLength.set('content-length', String(blob.size))
  return {
    bytes: blob.size,
    taken: () => taken,
    init: { body: ReadableStream.from(pieces()), headers: withLength, duplex: 'half' },
  }
}
