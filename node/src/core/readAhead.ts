/**
 * Reads an iteration from now on, and holds what comes until it is asked for. What it throws is thrown to who asks, once what came before
 * is taken. It is read to its end whether anybody asks or not.
 */
export function readAhead<T extends object>(source: AsyncIterable<T>): AsyncGenerator<T, void> {
  const held: T[] = []
  let changed = Promise.withResolvers<void>()
  let isOver = false
  const reading = (async () => {
    try {
      for await (const one of source) {
        held.push(one)
        changed.resolve()
      }
    } finally {
      isOver = true
      changed.resolve()
    }
  })()
  // Where nobody asks, nobody is told.
  reading.catch(() => undefined)

  return (async function* () {
    for (;;) {
      const next = held.shift()
      if (next !== undefined) yield next
      else if (isOver) return await reading
      else {
        await changed.promise
        changed = Promise.withResolvers()
        if (isOver) changed.resolve()
      }
    }
  })()
}
