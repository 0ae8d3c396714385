/** The part of `EventSource` that is used. */
export interface StreamSource {
  readyState: number
  onopen: (() => void) | null
  onerror: (() => void) | null
  addEventListener: (event: string, listener: (message: { data: string }) => void) => void
  close: () => void
}

interface Modules {
  /** @param isFirst - false if an earlier stream was refused, so that missed events are requested. */
  open: (isFirst: boolean) => StreamSource
  /** Calls back once; returns what cancels it. */
  wait: (callback: () => void, delayMs: number) => () => void
}

interface Listener {
  onState: (state: 'live' | 'lost') => void
  on: Record<string, (data: string) => void>
}

/** `EventSource.CLOSED`: the browser does not try again. */
const CLOSED = 2

const FIRST_WAIT_MS = 2_000
const LONGEST_WAIT_MS = 15_000

/**
 * Follows server-sent events until it is stopped. An `EventSource` reconnects after a lost connection, but not after a refusal, by an
 * indexer with too many listeners or by a proxy whose indexer is not up yet; this retries then, too.
 *
 * @returns stops.
 */
export function openStream({ open, wait }: Modules, { onState, on }: Listener): () => void {
  let source: StreamSource
  let cancel = () => {}
  let waitMs = FIRST_WAIT_MS

  function start(isFirst: boolean): void {
    source = open(isFirst)
    source.onopen = () => {
      waitMs = FIRST_WAIT_MS
      onState('live')
    }
    source.onerror = () => {
      onState('lost')
      if (source.readyState !== CLOSED) return
      cancel()
      cancel = wait(() => start(false), waitMs)
      waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)
    }
    for (const [event, listener] of Object.entries(on)) source.addEventListener(event, ({ data }) => listener(data))
  }

  start(true)
  return () => {
    cancel()
    source.close()
  }
}
