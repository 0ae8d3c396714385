export interface FeedRow {
  id: string
}

export interface Change<Row extends FeedRow> {
  /** Rows that are new, or that another row with the same place in the chain replaces; oldest first. */
  added: Row[]
  /** Ids of rows that a reorganisation took back. */
  retracted: string[]
}

/**
 * The newest rows of the feed as last seen, to tell what changed since.
 *
 * A cursor would not do: after a reorganisation rows vanish, and their successors may sort before the last row sent.
 */
export class FeedWindow<Row extends FeedRow> {
  #rows: readonly Row[] = []

  /** Oldest first. */
  get rows(): readonly Row[] {
    return this.#rows
  }

  /** @param rows - the newest rows now, oldest first. */
  replace(rows: readonly Row[]): Change<Row> {
    const before = new Map(this.#rows.map(row => [row.id, JSON.stringify(row)]))
    const now = new Set(rows.map(row => row.id))
    const oldest = rows[0]?.id
    this.#rows = rows
    return {
      added: rows.filter(row => before.get(row.id) !== JSON.stringify(row)),
      // Rows older than the window's first have only moved out of it.
      retracted: [...before.keys()].filter(id => !now.has(id) && (oldest === undefined || id > oldest)),
    }
  }
}
