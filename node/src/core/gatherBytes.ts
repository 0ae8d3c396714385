/**
 * All bytes of a stream, such as an HTTP body. Stops reading once there are more than allowed.
 *
 * @returns null if there are more than `maxBytes`.
 */
export async function gatherBytes(parts: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer | null> {
  const gathered: Uint8Array[] = []
  let bytes = 0
  for await (const part of parts) {
    bytes += part.length
    if (bytes > maxBytes) return null
    gathered.push(part)
  }
  return Buffer.concat(gathered)
}
