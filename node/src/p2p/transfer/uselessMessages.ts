import type { SignedMessage } from '../gossip/signedMessage.ts'
import { MAX_ANSWERS } from './syncProtocol.ts'

/** Useless messages in one answer that differing views explain. */
export const MAX_USELESS = 512
/** Maximum of scans of the held messages for one answer: one each time its messages fill the count. */
const WALKS = MAX_ANSWERS / MAX_USELESS

/**
 * Counts the useless messages of one answer, to detect too many. A message is not held against the sender if we hold another one of its author in
 * its place: we may have received it from another peer meanwhile, hold a later copy, or hold the other one of two that the author sent to different
 * peers. So of each author and topic, as many are excused as we hold.
 *
 * @param held - returns the held messages; called when the count is full.
 */
export function createUselessCount(held: () => readonly SignedMessage[]) {
  let open: SignedMessage[] = []
  let walks = 0
  const excused = new Map<string, number>()

  function excuse(): void {
    const places = Map.groupBy(held(), authorOf)
    open = open.filter(message => {
      const author = authorOf(message)
      const before = excused.get(author) ?? 0
      if (before >= (places.get(author)?.length ?? 0)) return true
      excused.set(author, before + 1)
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

const authorOf = ({ from, topic }: SignedMessage): string => `${from} ${topic}`
