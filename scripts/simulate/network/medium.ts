import type { SignedMessage } from '../../../node/src/p2p/gossip/signedMessage.ts'
import type { FetchFailure, PayloadRequest } from '../../../node/src/p2p/transfer/payloadTransfer.ts'
import type { SimulatedTime } from './simulatedTime.ts'

/** A peer's handlers of messages and requests from the network. */
export type Station = {
  peerId: string
  address: string
  admits(peerId: string, address: string): Promise<boolean>
  connected(peerId: string): void
  disconnected(peerId: string): void
  /** Whether it asked for messages of a topic. */
  subscribes(topic: string): boolean
  /** Whether a message came before: another copy of it is ignored. */
  hasSeen(id: string): boolean
  receive(sender: string, topic: string, bytes: Uint8Array, id: string): void
  /** Messages that it forwards to a peer that catches up; null if that peer asks too often. */
  answer(peerId: string): SignedMessage[] | null
  serve(request: PayloadRequest, from: string): Promise<Uint8Array | FetchFailure>
}

type Weather = {
  /** Milliseconds one way, least and most. */
  latencyMs: readonly [number, number]
  /** Share of gossip that is lost. */
  loss: number
}

/** Milliseconds that a dial to a dead address takes. */
const SILENT_MS = 3_000

/** All links between peers: who reaches whom, and how soon. */
export class Medium {
  /** Messages of gossip that each peer was sent. */
  readonly handled = new Map<string, number>()
  /** The copy of each message that all peers share, by its id. */
  readonly messages = new Map<string, SignedMessage>()
  weather: Weather
  private readonly time: SimulatedTime
  private readonly stations = new Map<string, Station>()
  private readonly at = new Map<string, string>()
  private readonly links = new Map<string, Set<string>>()
  /** Peers of one side of a split; empty while there is none. */
  private split: ReadonlySet<string> = new Set()

  constructor(time: SimulatedTime, weather: Weather) {
    this.time = time
    this.weather = weather
  }

  join(station: Station): void {
    this.stations.set(station.peerId, station)
    this.at.set(station.address, station.peerId)
    this.links.set(station.peerId, new Set())
  }

  /** As after a crash: links break without notice. */
  leave(peerId: string): void {
    for (const other of this.linksOf(peerId)) this.hangUp(peerId, other)
    const station = this.stations.get(peerId)
    if (station !== undefined) this.at.delete(station.address)
    this.stations.delete(peerId)
  }

  partition(side: ReadonlySet<string>): void {
    this.split = side
    for (const [one, others] of this.links)
      for (const other of [...others]) if (side.size > 0 && side.has(one) !== side.has(other)) this.hangUp(one, other)
  }

  linksOf(peerId: string): string[] {
    return [...(this.links.get(peerId) ?? [])]
  }

  subscribersOf(topic: string, peerId: string): string[] {
    return this.linksOf(peerId).filter(other => this.stations.get(other)?.subscribes(topic))
  }

  /** Everybody who is here, and where they can be dialled. */
  peerIds(): string[] {
    return [...this.stations.keys()]
  }

  addresses(): string[] {
    return [...this.at.keys()]
  }

  addressOf(peerId: string): string {
    return this.stations.get(peerId)?.address ?? ''
  }

  async dial(from: string, address: string): Promise<string> {
    const target = this.stations.get(this.at.get(address) ?? '')
    if (target === undefined || !this.reaches(from, target.peerId)) {
      await this.pass(SILENT_MS)
      throw new Error('nobody answers')
    }
    await this.pass(3 * this.latencyMs())
    if (this.links.get(from)?.has(target.peerId)) return target.peerId
    const origin = this.addressOf(from)
    if (!(await target.admits(from, origin)) || !this.stations.has(from)) throw new Error('refused')
    this.links.get(from)?.add(target.peerId)
    this.links.get(target.peerId)?.add(from)
    this.stations.get(from)?.connected(target.peerId)
    target.connected(from)
    return target.peerId
  }

  hangUp(one: string, other: string): void {
    if (!this.links.get(one)?.delete(other)) return
    this.links.get(other)?.delete(one)
    this.stations.get(one)?.disconnected(other)
    this.stations.get(other)?.disconnected(one)
  }

  send(from: string, to: string, topic: string, bytes: Uint8Array, id: string): void {
    if (Math.random() < this.weather.loss) return
    this.handled.set(to, (this.handled.get(to) ?? 0) + 1)
    // Seven copies of eight come to who has one: no event is spent on them.
    if (this.stations.get(to)?.hasSeen(id)) return
    this.time.after(this.latencyMs(), () => {
      if (this.links.get(from)?.has(to)) this.stations.get(to)?.receive(from, topic, bytes, id)
    })
  }

  /** Messages that a linked peer forwards; null if the link is gone, or the peer is asked too often. */
  async ask(from: string, to: string): Promise<SignedMessage[] | null> {
    await this.pass(2 * this.latencyMs())
    return this.links.get(from)?.has(to) ? (this.stations.get(to)?.answer(from) ?? null) : null
  }

  async fetch(request: PayloadRequest, from: string, addresses: readonly string[]): Promise<Uint8Array | FetchFailure> {
    const { peer, signal } = request
    const isLinked = this.links.get(from)?.has(peer)
    const isKnown = isLinked || addresses.some(address => this.at.get(address) === peer)
    const target = this.stations.get(peer)
    if (target === undefined || !isKnown || !this.reaches(from, peer)) {
      await this.pass(SILENT_MS)
      return 'unreachable'
    }
    await this.pass((isLinked ? 2 : 4) * this.latencyMs())
    const ended = new Promise<FetchFailure>(resolve =>
      signal.aborted ? resolve('timeout') : signal.addEventListener('abort', () => resolve('timeout'), { once: true }),
    )
    return Promise.race([target.serve(request, from), ended])
  }

  pass(ms: number): Promise<void> {
    return new Promise(resolve => this.time.after(ms, resolve))
  }

  private reaches(one: string, other: string): boolean {
    return this.split.size === 0 || this.split.has(one) === this.split.has(other)
  }

  private latencyMs(): number {
    const [least, most] = this.weather.latencyMs
    return least + (most - least) * Math.random()
  }
}

/** Its own address for each number, in a subnet of eight. */
export const addressOf = (number: number, peerId: string) =>
  `/ip4/10.${number >> 11}.${(number >> 3) & 255}.${number & 7}/tcp/1/p2p/${peerId}`
