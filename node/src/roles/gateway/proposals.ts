import type { ChainReads } from '#chain/reads.ts'
import type { Clock } from '#core/clock.ts'
import type { PeerKey } from '#core/hashes.ts'
import { decodeProposal } from '#core/payloads/taskProposal.ts'
import { createTokenBucket } from '#p2p/tokenBucket.ts'
import { FRESH_MS } from './commitments.ts'
import type { PeerIds } from './peerIds.ts'

/** A proposer's readable tasks of a round. */
export type ShownProposal = { peerId: string; peerKey: PeerKey; level: number; texts: readonly string[] }

/** Proposals of a round, at most a few seconds old. */
export type Proposals = (round: number) => Promise<readonly ShownProposal[]>

const ROUNDS_REMEMBERED = 64

/** Recent rounds, which everybody requests. Older ones are read from the chain at a limited rate, since anybody may request any of them. */
const RECENT_ROUNDS = 16
const [OLD_PER_SECOND, OLD_AT_ONCE] = [4, 64]

/** Whether everybody asks for the round, so that it is read from the chain at once. */
export const isRecent = (round: number, now: number) => round >= now - RECENT_ROUNDS && round <= now + 1

type Modules = {
  chain: Pick<ChainReads, 'readProposals'>
  peerIds: PeerIds
  clock: Clock
  currentRound: () => number
}

/** Time until a finished round without proposals is read again: the endpoint may have left them out. */
const EMPTY_FRESH_MS = 60_000

/** The chain's proposals; concurrent callers share a read, and those of finished rounds are not read again. */
export function createProposals({ chain, peerIds, clock, currentRound }: Modules): Proposals {
  const old = createTokenBucket(OLD_PER_SECOND, OLD_AT_ONCE, clock)
  const known = new Map<number, { value: ReturnType<Proposals>; freshUntilMs: number }>()

  async function readRound(round: number): Promise<ShownProposal[]> {
    const shown: ShownProposal[] = []
    if (round < currentRound() - RECENT_ROUNDS) await clock.sleep(old.takeMs(1))
    const proposed = await chain.readProposals(round)
    const idOf = await peerIds(proposed.map(({ peerKey }) => peerKey))
    for (const { peerKey, count, bytes } of proposed) {
      const tasks = decodeProposal(bytes)
      const peerId = idOf.get(peerKey)
      if (tasks && peerId) shown.push({ peerId, peerKey, level: tasks.level, texts: tasks.texts.slice(0, count) })
    }
    return shown
  }

  return async round => {
    const now = currentRound()
    // Nothing is proposed for a later round, and each request for one would cost a read of the chain.
    if (now >= 0 && round > now + 1) return []
    const entry = known.get(round)
    if (entry && clock.nowMs() < entry.freshUntilMs) return entry.value
    const value = readRound(round)
    known.delete(round)
    const made = { value, freshUntilMs: now > round ? Number.POSITIVE_INFINITY : clock.nowMs() + FRESH_MS }
    known.set(round, made)
    value.then(
      ({ length }) => {
        if (now > round && length === 0) made.freshUntilMs = clock.nowMs() + EMPTY_FRESH_MS
      },
      () => known.delete(round),
    )
    for (const oldest of known.keys()) if (known.size > ROUNDS_REMEMBERED) known.delete(oldest)
    return value
  }
}
