import { readAhead } from '#core/readAhead.ts'

/** The own groups, or what another gave. */
export type Arrival<Own, Other> = { own: Own } | { other: Other }

/**
 * The own groups and what others give, in the order in which they come, however late they are asked for. Own groups that are there already come
 * first. What the others' iteration throws is thrown last, so that it costs nobody else's groups.
 */
export function inOrderOfArrival<Own, Other>(
  own: Promise<Own>,
  others: AsyncIterable<Other>,
): AsyncGenerator<Arrival<Own, Other>, void> {
  return readAhead(arrivals(own, others))
}

async function* arrivals<Own, Other>(own: Promise<Own>, others: AsyncIterable<Other>) {
  const iterator = others[Symbol.asyncIterator]()
  let failure: { error: unknown } | undefined
  const ask = async (): Promise<Arrival<Own, Other> | null> => {
    try {
      const { done, value } = await iterator.next()
      return done ? null : { other: value }
    } catch (error) {
      failure = { error }
      return null
    }
  }
  let mine: Promise<Arrival<Own, Other>> | null = own.then(groups => ({ own: groups }))
  let theirs: Promise<Arrival<Own, Other> | null> | null = ask()
  while (mine !== null || theirs !== null) {
    const arrival: Arrival<Own, Other> | null = await Promise.race([mine, theirs].filter(due => due !== null))
    if (arrival === null) {
      theirs = null
      continue
    }
    if ('own' in arrival) mine = null
    else theirs = ask()
    yield arrival
  }
  if (failure) throw failure.error
}
