import type { TxOutcome } from '#chain/outbox/outbox.ts'
import type { LogFields, Logger } from '#core/logger.ts'

/**
 * Logs the outcome of a transaction, unless it waits for the next start because the node stops.
 *
 * @param done - the log's words for it, such as `votes committed`.
 * @returns whether it is in a block.
 */
export function reportOutcome(logger: Logger, done: string, outcome: TxOutcome, fields: LogFields): boolean {
  if (outcome.status === 'mined') logger.info(done, fields)
  else if (outcome.status !== 'stopped') logger.warn(`not ${done}`, { ...fields, outcome })
  return outcome.status === 'mined'
}
