/**
 * The byte alphabet of GPT-2: every byte as one printable character, so that a tokenizer.json is readable text.
 *
 * Printable Latin-1 stands for itself; the other 68 bytes are moved to U+0100 and up, in order.
 *
 * @see https://github.com/openai/gpt-2/blob/master/src/encoder.py `bytes_to_unicode`
 */
export const byteToChar: readonly string[] = buildAlphabet()

const charToByte: ReadonlyMap<string, number> = new Map(byteToChar.map((char, byte) => [char, byte]))

/** The alphabet's text of some bytes. */
export function charsOfBytes(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += byteToChar[byte]
  return text
}

/** The bytes of an alphabet text, or `undefined` where it holds a character outside the alphabet. */
export function bytesOfChars(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) {
    const byte = charToByte.get(text[i] as string)
    if (byte === undefined) return undefined
    bytes[i] = byte
  }
  return bytes
}

function buildAlphabet(): string[] {
  const printable = (byte: number) => (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae
  let moved = 0
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : 256 + moved++))
}
