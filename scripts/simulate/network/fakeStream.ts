import type { Stream } from '@libp2p/interface'
import type { SimulatedTime } from './simulatedTime.ts'

/** One end of a stream between two simulated peers: what a reader and a writer of the node use of libp2p's. */
class StreamEnd extends EventTarget {
  status: 'open' | 'closed' | 'aborted' = 'open'
  readonly readStatus = 'readable'
  writeStatus: 'writable' | 'closed' = 'writable'
  readonly readBufferLength = 0
  readonly writableNeedsDrain = false
  readableEnded = false
  other: StreamEnd | undefined
  private readonly later: (work: () => void) => void

  constructor(later: (work: () => void) => void) {
    super()
    this.later = later
  }

  send(bytes: Uint8Array): boolean {
    const data = Uint8Array.from(bytes)
    this.later(() => this.other?.dispatchEvent(Object.assign(new Event('message'), { data })))
    return true
  }

  async close(): Promise<void> {
    if (this.writeStatus === 'closed') return
    this.writeStatus = 'closed'
    this.later(() => this.other?.onEnd())
    this.closeIfOver()
  }

  abort(error: Error): void {
    if (this.status !== 'open') return
    this.end('aborted', error)
    this.later(() => this.other?.end('aborted', error))
  }

  pause(): void {}
  resume(): void {}

  private onEnd(): void {
    this.readableEnded = true
    this.dispatchEvent(new Event('end'))
    this.closeIfOver()
  }

  private closeIfOver(): void {
    if (this.readableEnded && this.writeStatus === 'closed') this.end('closed')
  }

  private end(status: 'closed' | 'aborted', error?: Error): void {
    if (this.status !== 'open') return
    this.status = status
    this.writeStatus = 'closed'
    this.dispatchEvent(Object.assign(new Event('close'), error && { error }))
  }
}

/** Both ends of a stream; what is sent at one arrives at the other after `latencyMs`, in order. */
export function streamPair(time: SimulatedTime, latencyMs: number): [Stream, Stream] {
  const later = (work: () => void) => void time.after(latencyMs, work)
  const [one, other] = [new StreamEnd(later), new StreamEnd(later)]
  one.other = other
  other.other = one
  return [one as unknown as Stream, other as unknown as Stream]
}
