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
  // The last two bytes are the length of the metadata before them.
  const tail = 2 + template.readUInt16BE(template.length - 2)
  if (code.length <= tail || code.length > template.length) return false
  const own = template.subarray(template.length - code.length, template.length - tail)
  const seen = code.subarray(0, code.length - tail)
  for (let at = own.indexOf(PUSH32); at !== -1; at = own.indexOf(PUSH32, at + 1)) {
    if (own.subarray(at + 1, at + 33).equals(WORD)) seen.fill(0, at + 1, at + 33)
  }
  return seen.equals(own)
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
