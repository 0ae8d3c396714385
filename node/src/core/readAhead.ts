/**
 * Starts reading an iteration at once, and buffers its values. An error is thrown to the reader after the values before it. The iteration
 * is read to its end, with or without a reader.
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
  // Without a reader, an error is dropped.
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
