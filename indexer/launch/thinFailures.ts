/** Ponder's lines on a call of the chain that fails, with its stack, or that waits long for its next try. There is one for each try of each call. */
const FAILED_CALL = /(Received JSON-RPC error|JSON-RPC request unexpectedly surpassed).* method=(\w+)/
/** Between two lines of one method. */
const AGAIN_MS = 60_000
/** An endpoint may put an id of each request into its words. */
const MOST_KINDS = 100

/**
 * Lets one line a minute of each kind and method through, with the number of those that were left out. While a local chain is away, Ponder polls four
 * times a second and tries each call nine more times: 16 KB of log a second.
 *
 * @returns what writes instead of `write`.
 */
export function thinFailures(write: (...texts: unknown[]) => void, nowMs = Date.now): (...texts: unknown[]) => void {
  const written = new Map<string, { untilMs: number; leftOut: number }>()
  return (...texts) => {
    const [text] = texts
    const [, problem, method] = (typeof text === 'string' && FAILED_CALL.exec(text)) || []
    if (problem === undefined) return write(...texts)
    // The first line of the stack tells failures apart; its numbers, such as block ranges, do not.
    const cause = /\n.*/.exec(String(text))?.[0].replace(/\d+/g, '') ?? ''
    const key = `${problem} ${method} ${cause}`
    const last = written.get(key)
    if (last !== undefined && nowMs() < last.untilMs) {
      last.leftOut += 1
      return
    }
    if (written.size >= MOST_KINDS) written.clear()
    written.set(key, { untilMs: nowMs() + AGAIN_MS, leftOut: 0 })
    const leftOut = last?.leftOut ?? 0
    write(leftOut === 0 ? text : `${text}\n(${leftOut} more of ${method} were left out)`)
  }
}
