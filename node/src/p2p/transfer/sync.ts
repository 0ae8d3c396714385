import type { Connection, PeerId, Stream } from '@libp2p/interface'
import { CanonicalError } from '#core/canonical.ts'
import type { Clock } from '#core/clock.ts'
import { withDeadline } from '#core/deadline.ts'
import type { Logger } from '#core/logger.ts'
import { openStream } from '../connections/openStream.ts'
import type { MessageGate, MessageRules } from '../gossip/messageGate.ts'
import { decodeSigned, MAX_SIGNED_BYTES, type SignedMessage } from '../gossip/signedMessage.ts'
import type { Verdict } from '../gossip/verdict.ts'
import type { Host } from '../host.ts'
import { StreamError } from '../streams/streamError.ts'
import { createStreamReader } from '../streams/streamReader.ts'
import { closeStream, finishStream, writeMessage } from '../streams/streamWriter.ts'
import { createAnswerLimits } from './answerLimits.ts'
import {
  afterAnswer,
  decodeSyncRequest,
  encodeSyncRequest,
  MAX_ANSWERS,
  MAX_REQUEST_BYTES,
  missingFrom,
  partFrom,
  placeOf,
  SYNC_PROTOCOL,
} from './syncProtocol.ts'
import { createUselessCount } from './uselessMessages.ts'

/** The synchronised messages: announcements and addresses. */
export type SyncStore = {
  /** As signed; announcements of these rounds, and all addresses. */
  signed(from: number, to: number): SignedMessage[]
  /** The rules for a message. */
  rulesOf(message: SignedMessage): MessageRules
  /** The rounds worth asking for, both inside. */
  rounds(): { from: number; to: number }
}

export type Sync = {
  /** Asks one peer, and checks and stores its answer. @returns how many messages were new. */
  pull(peer: string): Promise<number>
  stop(): Promise<void>
}

type SyncOptions = {
  store: SyncStore
  gate: MessageGate
  isRegistered: (peerId: string) => boolean
  /** Mean wait before asking a random peer for messages that gossip lost. */
  everyMs?: number
  clock: Clock
  logger: Logger
}

const IDLE_MS = 5000
/**
 * Delays before a new peer is asked: first when the handshakes of a new connection are over, to spread the load; then again, since published
 * messages reach nobody until gossip's mesh exists.
 */
export const SETTLE_MS = [250, 750, 2500]
/** The second fault within minutes leads to a ban. */
const FAULT_POINTS = 50
/** Brings a late or restarted peer up to date: asks each new peer soon, then a random peer every few seconds. */
export async function startSync(host: Host, options: SyncOptions): Promise<Sync> {
  const { store, gate, logger, clock } = options
  const stopping = new AbortController()
  const peers = new Set<string>()
  const skipped = createSkippedMessages(clock)
  // Start of the next requested range of ids, for any peer.
  let first = 0

  async function pull(peer: string): Promise<number> {
    let stream: Stream | undefined
    try {
      const signal = withDeadline(stopping.signal, 4 * IDLE_MS)
      stream = await openStream(host.node, peer, SYNC_PROTOCOL, signal)
      const answered = await ask(host, { stream, peer, first, store, gate, skipped, signal })
      first = answered.next
      await closeStream(stream, IDLE_MS)
      const taken = await Promise.all(answered.admissions)
      return taken.filter(({ verdict }) => verdict === 'accept').length
    } catch (cause) {
      stream?.abort(cause instanceof Error ? cause : new StreamError('closed', cause))
      if (cause instanceof SyncFault || cause instanceof CanonicalError) {
        host.guard.penalise(peer, FAULT_POINTS, `answered with ${cause.message}`)
      }
      logger.debug('could not catch up', { peer, cause })
      return 0
    }
  }
  async function settleIn(peer: string): Promise<void> {
    for (const ms of SETTLE_MS) {
      await clock.sleep(ms * (0.5 + Math.random()), stopping.signal)
      if (peers.has(peer)) await pull(peer)
    }
  }
  async function repeat(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep((options.everyMs ?? 10_000) * (0.5 + Math.random()), stopping.signal)
      const all = [...peers]
      const peer = all[Math.floor(Math.random() * all.length)]
      if (peer !== undefined) await pull(peer)
    }
  }

  await host.node.handle(SYNC_PROTOCOL, createAnswering(host, options, stopping.signal), {
    ...{ maxInboundStreams: 4, maxOutboundStreams: 4 },
    runOnLimitedConnection: true,
  })
  const topology = await host.node.register(SYNC_PROTOCOL, {
    onConnect(peer: PeerId) {
      peers.add(peer.toString())
      settleIn(peer.toString()).catch(cause => {
        if (!stopping.signal.aborted) logger.error('stopped catching up with a new peer', { peer, cause })
      })
    },
    onDisconnect: (peer: PeerId) => void peers.delete(peer.toString()),
  })
  repeat().catch(cause => {
    if (!stopping.signal.aborted) logger.error('stopped catching up', { cause })
  })
  return {
    pull,
    async stop() {
      stopping.abort(new StreamError('aborted'))
      host.node.unregister(topology)
      await host.node.unhandle(SYNC_PROTOCOL)
    },
  }
}

/** Answers requests, within the limits of all peers and of strangers. */
function createAnswering(host: Host, { store, isRegistered, clock }: SyncOptions, signal: AbortSignal) {
  const refusal = createAnswerLimits(isRegistered, clock)

  return async (stream: Stream, connection: Connection): Promise<void> => {
    try {
      const refused = refusal(connection.remotePeer.toString())
      if (refused !== null) throw new StreamError('aborted', refused)
      await answer(host, stream, store, signal)
    } catch (cause) {
      stream.abort(cause instanceof Error ? cause : new StreamError('closed', cause))
    }
  }
}

async function answer(host: Host, stream: Stream, store: SyncStore, signal: AbortSignal): Promise<void> {
  const asking = withDeadline(signal, IDLE_MS)
  const reader = createStreamReader(stream, { idleMs: IDLE_MS, signal: asking })
  const frame = await reader.message(MAX_REQUEST_BYTES).finally(() => reader.release())
  if (frame === null) return finishStream(stream, IDLE_MS)
  const request = decodeSyncRequest(frame)
  const sending = withDeadline(signal, 4 * IDLE_MS)
  for (const message of missingFrom(request, store.signed(request.from, request.to))) {
    await host.messageQueue.enter()
    await writeMessage(stream, message.bytes, IDLE_MS, sending)
  }
  await finishStream(stream, IDLE_MS)
}

type Question = {
  stream: Stream
  peer: string
  first: number
  store: SyncStore
  gate: MessageGate
  skipped: ReturnType<typeof createSkippedMessages>
  signal: AbortSignal
}
/** `admissions`: the verdict on each signed and useful message, as soon as its author is known. */
type Answered = { admissions: Promise<Verdict<unknown>>[]; next: number }

async function ask(host: Host, { stream, peer, first, store, gate, skipped, signal }: Question): Promise<Answered> {
  const { from, to } = store.rounds()
  const reader = createStreamReader(stream, { idleMs: IDLE_MS, signal })
  const admissions: Promise<Verdict<unknown>>[] = []
  try {
    const part = partFrom(first, [...store.signed(from, to), ...skipped.all()])
    await writeMessage(stream, encodeSyncRequest({ v: 1, from, to, ...part }), IDLE_MS, signal)
    const useless = createUselessCount(() => store.signed(from, to))
    let count = 0
    let highest = first
    for (; count < MAX_ANSWERS; count += 1) {
      const frame = await reader.message(MAX_SIGNED_BYTES)
      if (frame === null) break
      await host.messageQueue.enter()
      const message = decodeSigned(frame)
      highest = Math.max(highest, placeOf(message))
      const rules = store.rulesOf(message)
      const screened = await gate.screen(message, peer, rules, signal)
      if (screened.verdict === 'reject') throw new SyncFault('a forged or malformed message')
      if (screened.verdict === 'accept') admissions.push(gate.admit(message, peer, rules))
      else if (screened.ours) continue
      else if (!screened.misdated && useless.add(message)) throw new SyncFault('hardly anything but useless messages')
      else if (!screened.later) skipped.add(message)
    }
    return { admissions, next: afterAnswer(part, count, highest) }
  } finally {
    reader.release()
  }
}

/** An answer that proves its sender at fault. Never leaves this file. */
class SyncFault extends Error {
  override readonly name = 'SyncFault'
}

type Named = Pick<SignedMessage, 'id'>

/** Messages that are remembered: about 2 MB of ids. */
const MAX_SKIPPED = 16_384
/** How long they are stored: messages that are too early for their round are useful later. */
const REMEMBER_MS = 10 * 60_000

/**
 * Signed messages that are useless here, such as another copy of known addresses. Requests list them as known: otherwise each would be
 * sent again with every answer, thousands every ten seconds in a swarm of 10,000.
 */
function createSkippedMessages(clock: Clock) {
  /** In the order of arrival: an id never arrives twice while it is listed. */
  const skipped: { named: Named; atMs: number }[] = []
  return {
    add({ id }: Named): void {
      skipped.push({ named: { id }, atMs: clock.nowMs() })
      if (skipped.length > MAX_SKIPPED) skipped.shift()
    },
    all(): Named[] {
      const fresh = skipped.findIndex(({ atMs }) => atMs > clock.nowMs() - REMEMBER_MS)
      skipped.splice(0, fresh === -1 ? skipped.length : fresh)
      return skipped.map(({ named }) => named)
    },
  }
}
