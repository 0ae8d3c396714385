import { type FeedRow, FeedWindow } from './feedWindow.ts'

export interface Head {
  blockNumber: number
  timestampSec: number
}

export interface Message {
  event: 'head' | 'window' | 'item' | 'retract'
  /** Set on items, so that a browser that reconnects says which it saw last. */
  id?: string
  data: string
}

/** Changes whenever the index does, but for a reorganisation into events at the very same places. */
export interface Mark {
  /** The last indexed block, null before the first. */
  head: Head | null
  /** Id of the newest row: a block may give way to another with its number and time. */
  newestId: string | null
}

export interface Source<Row extends FeedRow> {
  readMark: () => Promise<Mark>
  /** The newest rows, oldest first. */
  readRows: () => Promise<Row[]>
}

export type Send = (message: Message) => void

/**
 * One poll of the index for all listeners, and none without listeners. Each tick reads the mark, and the feed's newest rows only if it
 * changed.
 */
export class Broadcaster<Row extends FeedRow> {
  readonly #source: Source<Row>
  readonly #intervalMs: number
  readonly #listeners = new Set<Send>()
  #window = new FeedWindow<Row>()
  #mark: Mark = { head: null, newestId: null }
  #timer: NodeJS.Timeout | undefined
  #running = Promise.resolve()

  constructor(source: Source<Row>, options: { intervalMs: number }) {
    this.#source = source
    this.#intervalMs = options.intervalMs
  }

  /**
   * Sends the head and the newest rows now, then every change. Who asks for rows of before also gets the ids of all watched rows: what a
   * reorganisation undid while it was away is not among them.
   *
   * @param backlog - what of the newest rows to send first: all after an id, or the last few.
   * @returns a function that ends it.
   */
  async listen(send: Send, backlog: { afterId: string } | { last: number }): Promise<() => void> {
    // Within the ticks' order, so that no change falls between the backlog and the first broadcast.
    await this.#enqueue(async () => {
      // With nobody listening the window has gone stale.
      if (this.#listeners.size === 0) await this.#refresh()
      if (this.#mark.head !== null) send(headMessage(this.#mark.head))
      const { rows } = this.#window
      const wanted =
        'afterId' in backlog ? rows.filter(row => row.id > backlog.afterId) : rows.slice(rows.length - backlog.last)
      if ('afterId' in backlog || backlog.last > 0) send(windowMessage(rows))
      for (const row of wanted) send(itemMessage(row))
      this.#listeners.add(send)
    })
    this.#schedule()
    return () => {
      this.#listeners.delete(send)
      if (this.#listeners.size === 0) clearTimeout(this.#timer)
    }
  }

  /** Reads the index and sends what changed. */
  async tick(): Promise<void> {
    await this.#enqueue(() => this.#refresh())
  }

  async #refresh(): Promise<void> {
    const mark = await this.#source.readMark()
    if (JSON.stringify(mark) === JSON.stringify(this.#mark)) return
    const { added, retracted } = this.#window.replace(await this.#source.readRows())
    this.#mark = mark
    for (const id of retracted) this.#broadcast({ event: 'retract', data: JSON.stringify({ id }) })
    for (const row of added) this.#broadcast(itemMessage(row))
    if (mark.head !== null) this.#broadcast(headMessage(mark.head))
  }

  #broadcast(message: Message): void {
    for (const send of this.#listeners) send(message)
  }

  #enqueue(step: () => Promise<void>): Promise<void> {
    const done = this.#running.then(step)
    this.#running = done.catch(() => {})
    return done
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    if (this.#listeners.size === 0) return
    this.#timer = setTimeout(() => {
      // The index may be closing, or its database briefly unavailable: the next tick retries.
      this.tick()
        .catch(() => {})
        .finally(() => this.#schedule())
    }, this.#intervalMs)
  }
}

function headMessage(head: Head): Message {
  return { event: 'head', data: JSON.stringify(head) }
}

function windowMessage(rows: readonly FeedRow[]): Message {
  return { event: 'window', data: JSON.stringify({ ids: rows.map(({ id }) => id) }) }
}

function itemMessage(row: FeedRow): Message {
  return { event: 'item', id: row.id, data: JSON.stringify(row) }
}
