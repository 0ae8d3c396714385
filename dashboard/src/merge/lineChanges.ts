import { diffLines } from 'diff'

export interface LineChange {
  kind: 'kept' | 'gone' | 'new'
  line: string
  /** Among all lines shown, from 0. */
  place: number
}

/** What became of each line between two texts, in order. */
export function lineChanges(before: string, after: string): LineChange[] {
  return diffLines(ended(before), ended(after))
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
