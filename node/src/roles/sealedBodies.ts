import { z } from 'zod'
import { type Hex, hash32Schema } from '#core/hex.ts'
import type { Journal } from '#store/journal.ts'
import type { PublishedBody } from './publishBody.ts'

/** A body that is committed to, and is served to nobody until its round has ended. */
export type SealedBody = Required<PublishedBody> & { contentId: Hex; size: number }

/** Own bodies that are kept and not served yet; they outlive a restart. */
export type SealedBodies = {
  has(contentId: Hex): boolean
  add(body: SealedBody): void
  /** Those of rounds before this one, the oldest first: from now on they are served. */
  open(round: number): SealedBody[]
  /** Forgets what was opened, once it is announced: what is not forgotten is opened again after a restart. */
  forgetOpened(): void
}

const sealedSchema = z.array(
  z.strictObject({
    kind: z.literal('rollouts'),
    round: z.int().min(0),
    root: hash32Schema,
    count: z.int().min(0),
    policyHash: hash32Schema,
    contentId: hash32Schema,
    size: z.int().min(1),
  }),
)

const KEY = 'sealed bodies'

export function createSealedBodies(journal: Pick<Journal, 'getState' | 'setState'>): SealedBodies {
  const read = sealedSchema.safeParse(journal.getState(KEY) ?? [])
  // A list that does not parse was written by other software; its bodies are served.
  let sealed: SealedBody[] = read.success ? read.data : []
  const keep = (bodies: SealedBody[]) => {
    journal.setState(KEY, bodies)
    sealed = bodies
  }
  return {
    has: contentId => sealed.some(body => body.contentId === contentId),
    // A round that is taken up again after a restart has the same body.
    add: body => keep([...sealed.filter(({ contentId }) => contentId !== body.contentId), body]),
    open(round) {
      const due = sealed.filter(body => body.round < round)
      sealed = sealed.filter(body => body.round >= round)
      return due.sort((a, b) => a.round - b.round)
    },
    forgetOpened: () => keep(sealed),
  }
}
