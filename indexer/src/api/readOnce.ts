type Read = (database: unknown) => Promise<unknown>

/**
 * The builder that fields read from, instead of Ponder's, which repeats a count that fails for a minute. A count fails for a value that the database
 * refuses, and would each time; the rows next to it are not repeated either.
 *
 * @param raw - the database of Ponder's builder.
 */
export function readOnce(raw: unknown) {
  const open = new Set<Promise<unknown>>()
  return {
    raw,
    /** Takes a read, or its label and the read. */
    wrap(...args: unknown[]): Promise<unknown> {
      const read = args.find(one => typeof one === 'function') as Read
      const reading = new LeftAlone(resolve => resolve(read(raw)))
      open.add(reading)
      void reading.finally(() => open.delete(reading))
      return reading
    },
    /** Resolves once all reads that have begun are over, also those that nobody awaits. */
    settled: (): Promise<unknown> => Promise.allSettled(open),
  }
}

/**
 * A promise that nobody needs to await, nor what `then` makes of it. Ponder counts a list before it reads the list's cursor, and leaves the count alone if it
 * cannot read that: a rejection without a handler would end the process.
 */
class LeftAlone<T> extends Promise<T> {
  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  override then<Told = T, Refused = never>(...handlers: Parameters<Promise<T>['then']>): Promise<Told | Refused> {
    const made = super.then(...handlers) as Promise<Told | Refused>
    super.then.call(made, undefined, () => {})
    return made
  }
}
