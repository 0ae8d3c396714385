/** One row of the live table. `null` stands where nothing is known yet. */
export interface TableRow {
  round: number
  tasks: number
  rollouts: number
  taken: number | null
  meanReward: number | null
  passAt1: number | null
  votes: number
  /** Votes `unavailable`, of those. */
  abstentions: number
  settled: number
  scored: number
  settledPoints: number | null
  seconds: number | null
}

const columns: { title: string; width: number; cell: (row: TableRow) => string }[] = [
  { title: 'round', width: 6, cell: row => String(row.round) },
  { title: 'tasks', width: 6, cell: row => String(row.tasks) },
  { title: 'rollouts', width: 9, cell: row => String(row.rollouts) },
  { title: 'taken', width: 6, cell: row => text(row.taken, 0) },
  { title: 'mean reward', width: 12, cell: row => text(row.meanReward, 3) },
  { title: 'pass@1 run', width: 11, cell: row => text(row.passAt1, 3) },
  { title: 'votes', width: 6, cell: row => String(row.votes) },
  { title: 'settled points', width: 15, cell: row => text(row.settledPoints, 0) },
  { title: 'seconds', width: 8, cell: row => text(row.seconds, 0) },
]

const text = (value: number | null, digits: number) => (value === null ? '·' : value.toFixed(digits))
const line = (cells: string[]) => cells.map((cell, index) => cell.padStart(columns[index]?.width ?? 0)).join(' ')

/** A note that evaluators abstained, which is not a score of 0; null if none did. */
function noteOn({ votes, abstentions, settled, scored }: TableRow): string | null {
  if (abstentions === 0 && scored === settled) return null
  const abstained = `${abstentions} of ${votes} votes were 'unavailable'`
  if (scored === settled) return `${abstained}: the others scored the peers`
  const why = abstentions > 0 ? abstained : 'too few votes were opened'
  const who = scored === 0 ? 'nobody' : `only ${scored} of ${settled} solvers`
  return `${why}, so that ${who} got a score. ${SLOW}`
}

const SLOW = 'Is the machine too slow? Try --fresh --round-seconds 60'

/** A note on the rounds without a row between two that have one: nobody committed in them; null if there are none. */
function noteOnGap(rounds: readonly number[], from: number, to: number): string | null {
  const missed = Array.from({ length: to - from - 1 }, (_, at) => from + 1 + at).filter(at => !rounds.includes(at))
  if (missed.length === 0) return null
  return `no solver committed its answers in time in round ${missed.join(', ')}. ${SLOW}`
}

/**
 * Prints a row once its round has settled, and, on a terminal, the running rounds below it, redrawn in place.
 */
export class LiveTable {
  readonly #out: NodeJS.WriteStream
  readonly #printed = new Set<number>()
  #last: number | null = null
  #drawn = 0
  #headed = false

  constructor(out: NodeJS.WriteStream) {
    this.#out = out
  }

  update(rows: TableRow[]): void {
    this.clear()
    if (!this.#headed && rows.length > 0) {
      this.#headed = true
      this.#out.write(`${line(columns.map(({ title }) => title))}\n`)
    }
    const rounds = rows.map(({ round }) => round)
    for (const row of rows) {
      if (row.settledPoints === null || this.#printed.has(row.round)) continue
      this.#printed.add(row.round)
      this.#note(noteOnGap(rounds, this.#last ?? row.round - 1, row.round))
      this.#last = row.round
      this.#out.write(`${line(columns.map(({ cell }) => cell(row)))}\n`)
      this.#note(noteOn(row))
    }
    if (!this.#out.isTTY) return
    const open = rows.filter(row => !this.#printed.has(row.round)).slice(-4)
    for (const row of open) this.#out.write(`\x1b[2m${line(columns.map(({ cell }) => cell(row)))}\x1b[0m\n`)
    this.#drawn = open.length
  }

  #note(note: string | null): void {
    if (note !== null) this.#out.write(`${''.padStart(7)}${note}\n`)
  }

  /** Removes the rows that may still change, so that other lines can be printed. */
  clear(): void {
    if (this.#drawn > 0) this.#out.write(`\x1b[${this.#drawn}A\x1b[0J`)
    this.#drawn = 0
  }
}
