/** The compiler writes 32 zero bytes after this operation where an immutable belongs. It writes any other zero in another way. */
const PUSH32 = 0x7f
const WORD = Buffer.alloc(32)

/**
 * Whether a contract was made with a creation code. Immutables may differ, and the metadata, which changes with each comment.
 *
 * @param deployed - the contract's code on the chain, 0x and hex digits.
 * @param creation - ends with the contract's own code.
 */
export function isCodeOf(deployed: string, creation: string): boolean {
  const template = bytesOf(creation)
  const code = bytesOf(deployed)
  const own = withoutMetadata(template.subarray(Math.max(template.length - code.length, 0)))
  const seen = withoutMetadata(code)
  if (seen.length !== own.length) return false
  for (let at = own.indexOf(PUSH32); at !== -1; at = own.indexOf(PUSH32, at + 1)) {
    if (own.subarray(at + 1, at + 33).equals(WORD)) seen.fill(0, at + 1, at + 33)
  }
  return seen.equals(own)
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

/** The last two bytes of a code are the length of the metadata before them. */
function withoutMetadata(code: Buffer): Buffer {
  return code.length < 2 ? code : code.subarray(0, Math.max(code.length - 2 - code.readUInt16BE(code.length - 2), 0))
}
