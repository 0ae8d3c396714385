import { until } from './testChain.ts'

interface Received {
  event: string
  id: string | undefined
  data: Record<string, unknown>
}

/** A reader of `/live` that keeps what it got. */
export class LiveClient {
  readonly received: Received[] = []
  readonly #abort = new AbortController()

  static async open(url: string, headers: Record<string, string> = {}): Promise<LiveClient> {
    const client = new LiveClient()
    const response = await fetch(url, { headers, signal: client.#abort.signal })
    if (response.body === null || !response.ok) throw new Error(`/live answered ${response.status}`)
    void client.#read(response.body).catch(() => {})
    return client
  }

  close(): void {
    this.#abort.abort()
  }

  /** @returns the first message that fits, once it is there. */
  async next(event: string, fits: (data: Record<string, unknown>) => boolean = () => true): Promise<Received> {
    let found: Received | undefined
    await until(async () => {
      found = this.received.find(message => message.event === event && fits(message.data))
      return found !== undefined
    })
    if (found === undefined) throw new Error('unreachable')
    return found
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let text = ''
    for await (const chunk of body.pipeThrough(new TextDecoderStream() as never) as unknown as AsyncIterable<string>) {
      text += chunk
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) this.#keep(block)
    }
  }

  #keep(block: string): void {
    const field = (name: string) => block.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1]
    const [event, data] = [field('event'), field('data')]
    if (event !== undefined && data !== undefined)
      this.received.push({ event, id: field('id'), data: JSON.parse(data) as Record<string, unknown> })
  }
}
