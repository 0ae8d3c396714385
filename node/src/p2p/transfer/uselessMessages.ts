import type { SignedMessage } from '../gossip/signedMessage.ts'
import { MAX_ANSWERS } from './syncProtocol.ts'

/** Useless messages in one answer that differing views explain. */
export const MAX_USELESS = 512
/** Maximum of scans of the held messages for one answer: one each time its messages fill the count. */
const WALKS = MAX_ANSWERS / MAX_USELESS

/**
 * Counts the useless messages of one answer, to detect too many. A message that we already hold is not held against the sender: we may
 * have received it from another peer meanwhile, or hold a later copy. Each such content counts as useful once.
 *
 * @param held - returns the held messages; called when the count is full.
 */
export function createUselessCount(held: () => readonly SignedMessage[]) {
  let open: SignedMessage[] = []
  let walks = 0
  const excused = new Set<string>()

  function excuse(): void {
    const contents = new Set(held().map(contentOf))
    open = open.filter(message => {
      const content = contentOf(message)
      if (excused.has(content) || !contents.has(content)) return true
      excused.add(content)
      return false
    })
  }

  return {
    /** @returns whether there are too many now. */
    add(message: SignedMessage): boolean {
      open.push(message)
      if (open.length > MAX_USELESS && walks++ < WALKS) excuse()
      return open.length > MAX_USELESS
    },
  }
}

function contentOf({ from, topic, data }: SignedMessage): string {
  return `${from} ${topic} ${Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1')}`
}
