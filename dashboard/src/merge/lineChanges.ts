import { diffLines } from 'diff'
import { visibleText } from './visibleText.ts'

export interface LineChange {
  kind: 'kept' | 'gone' | 'new'
  line: string
  /** Among all lines shown, from 0. */
  place: number
}

/** Lines that differ at most: two texts of thousands of lines with nothing in common took seconds. */
const MAX_CHANGES = 1_000

/** The outcome of each line between two texts, in order, with control characters visible. Of texts that differ in more than that, all lines are gone, and all are new. */
export function lineChanges(before: string, after: string): LineChange[] {
  const [one, other] = [ended(visibleText(before)), ended(visibleText(after))]
  const parts = diffLines(one, other, { maxEditLength: MAX_CHANGES }) ?? [
    { value: one, added: false, removed: true },
    { value: other, added: true, removed: false },
  ]
  return parts
    .flatMap(({ value, added, removed }) => {
      const kind = added ? 'new' : removed ? 'gone' : 'kept'
      return value
        .split('\n')
        .slice(0, -1)
        .map(line => ({ kind, line }) as const)
    })
    .map((change, place) => ({ ...change, place }))
}

/** The last line is one like the others. */
const ended = (text: string) => (text.endsWith('\n') ? text : `${text}\n`)
