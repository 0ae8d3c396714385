import { randomStream } from '#base/random.ts'
import type { Dataset } from './openDataset.ts'
import type { ReadRow } from './table.ts'

/** Position in a dataset: rows taken in this pass over it. */
export type DatasetPosition = { readonly pass: number; readonly taken: number }

/**
 * Rows of one pass over a dataset, each once: parts in random order, and rows in random order inside of each, so that one part is in
 * memory at a time. The order follows from the seed and the pass, and reading resumes at any position.
 *
 * @param seed - null for the files' own order.
 */
export async function* shuffledRows(
  { tables }: Pick<Dataset, 'tables'>,
  columns: readonly string[],
  seed: string | null,
  { pass, taken }: DatasetPosition,
): AsyncGenerator<ReadRow> {
  const parts = tables.flatMap(table => table.parts(columns).map((rows, part) => ({ table, part, rows })))
  let before = 0
  for (const at of order(parts.length, seed, `${pass}`)) {
    const { table, part, rows } = parts[at] as (typeof parts)[number]
    before += rows
    if (before <= taken) continue
    const read = await table.readPart(part, columns)
    const skipped = Math.max(0, taken - (before - rows))
    // A part that cannot be read is one fault for all of its rows.
    if (read.length !== rows) yield* read
    else for (const row of order(rows, seed, `${pass} ${at}`).slice(skipped)) yield read[row] as ReadRow
  }
}

function order(length: number, seed: string | null, part: string): number[] {
  const items = Array.from({ length }, (_, item) => item)
  if (seed === null) return items
  const random = randomStream('dataset', `${seed} ${part}`)
  for (let last = length - 1; last > 0; last--) {
    const other = random.integer(last + 1)
    ;[items[last], items[other]] = [items[other] as number, items[last] as number]
  }
  return items
}
