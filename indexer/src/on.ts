import { ponder } from 'ponder:registry'

/** An event that does not follow from those before it. */
export class Contradiction extends Error {
  override name = 'Contradiction'
}

/** Errors of an event whose row is missing, because an earlier event that would have made it was not handled. */
const EXPECTED: readonly string[] = ['Contradiction', 'RecordNotFoundError']

const logged = new Set<string>()

/**
 * Handles an event of a contract. One that contradicts what the chain said before is left out, with a line in the log: the contracts emit none, but a
 * local chain that lost a block does, and the index must survive it. Any other failure ends the index.
 */
export const on = ((name: string, handle: (args: { event: Event }) => unknown) =>
  ponder.on(
    name as never,
    (async (args: { event: Event }) => {
      try {
        await handle(args)
      } catch (error) {
        const { name: kind, message } = error as Error
        if (!EXPECTED.includes(kind)) throw error
        report(name, args.event, message)
      }
    }) as never,
  )) as unknown as typeof ponder.on

type Event = { block: { number: bigint }; transaction: { hash: string } }

/** The first of each kind: one game that is unknown has many bets. */
function report(name: string, { block, transaction }: Event, message: string): void {
  if (logged.has(name)) return
  logged.add(name)
  console.warn(
    `index: ${name} in block ${block.number} (${transaction.hash}) is left out, and so will others like it: ${message}. ` +
      'The chain lacks an event before it. If that is wrong, stop the index and delete its folder or schema.',
  )
}
