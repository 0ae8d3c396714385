import { z } from 'zod'
import type { Journal } from '#store/journal.ts'

/** Transfers by what was asked for, whose outcome nobody was told. */
const STATE = 'sends'

const sendSchema = z.object({ id: z.string(), amountWei: z.string().regex(/^\d+$/), sinceMs: z.number() })
const stateSchema = z.record(z.string(), sendSchema).catch({})

/** A transfer as it was first asked for. */
export type UnfinishedSend = { id: string; amountWei: bigint; sinceMs: number }

/**
 * Remembers each transfer until its outcome was told, so that a command that is repeated after an interruption asks about the first one and does
 * not send another.
 */
export function createUnfinishedSends(journal: Pick<Journal, 'getState' | 'setState'>) {
  const read = () => stateSchema.parse(journal.getState(STATE) ?? {})
  return {
    find(what: string): UnfinishedSend | undefined {
      const found = read()[what]
      return found && { ...found, amountWei: BigInt(found.amountWei) }
    },
    add(what: string, { id, amountWei, sinceMs }: UnfinishedSend): void {
      journal.setState(STATE, { ...read(), [what]: { id, amountWei: String(amountWei), sinceMs } })
    },
    remove(what: string): void {
      const { [what]: _, ...others } = read()
      journal.setState(STATE, others)
    },
  }
}
