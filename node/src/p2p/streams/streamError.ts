/**
 * Reason why a stream could not be read or written.
 *
 * Not a `NodeError`: the callers in this layer turn every one into a result or a log line, and no operator sees it.
 */
export class StreamError extends Error {
  override readonly name = 'StreamError'
  readonly kind: 'closed' | 'idle' | 'aborted' | 'too-large'

  constructor(kind: StreamError['kind'], cause?: unknown) {
    super(`stream ${kind}`, { cause })
    this.kind = kind
  }
}
