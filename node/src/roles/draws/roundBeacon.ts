import type { RoundTime } from '#chain/rounds/roundClock.ts'
import { roundLengthSec } from '#chain/rounds/roundLength.ts'
import type { Beacon, PeerKey } from '#core/hashes.ts'
import { ZERO_HASH } from '#core/hex.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'

/** Peers are staggered over this share of a round, so that not all of them send the same call. */
const STAGGER_SHARE = 1 / 8

/** Polls in a round for a beacon to record. It has to be recorded by the end of the round, so that a poll at every block is not needed. */
const RECORD_POLLS = 16

/**
 * The beacon of the round before the current one. A peer that needs it sends the call that fixes its block, if it is due and nobody has.
 *
 * @returns zero for the round before the first; null if the round is void, or `until` is aborted first: the log says which.
 */
export async function awaitBeacon(node: PeerNode, time: RoundTime, until: AbortSignal): Promise<Beacon | null> {
  const { chain, clock, logger, identity } = node
  const round = time.round - 1
  if (round < 0) return ZERO_HASH
  const roundSec = roundLengthSec(time)
  const fixesAtMs = clock.nowMs() + staggerShareOf(identity.peerKey, round) * STAGGER_SHARE * roundSec * 1000
  let called = false
  while (!until.aborted) {
    const { state, hash, fromBlock = 0 } = await chain.readBeacon(round)
    if (hash !== null) return hash
    if (state === 'void') {
      logger.info('the round is void', { round })
      return null
    }
    if (state === 'none' && !called && clock.nowMs() >= fixesAtMs) {
      called = true
      void chain.fixBeacon(round).then(outcome => reportOutcome(logger, 'beacon fixed', outcome, { round }))
    }
    // Its time may come between two blocks.
    const ownCall = called || state !== 'none' ? [] : [clock.sleep(fixesAtMs - clock.nowMs(), until)]
    await Promise.race([nextOf(chain, fromBlock, until), ...ownCall]).catch(() => undefined)
  }
  node.signal.throwIfAborted()
  logger.warn('no beacon in time', { round })
  return null
}

/** The next block, or a later one if the chain skipped it or has fallen back. */
async function nextOf({ nextBlock }: PeerNode['chain'], fromBlock: number, until: AbortSignal): Promise<void> {
  for (let before = 0; ; ) {
    const { number } = await nextBlock(until)
    if (number >= fromBlock || number < before) return
    before = number
  }
}

/** The beacon of any round that passed, as the chain has it; null if it has none. */
export async function beaconOf({ chain }: PeerNode, round: number): Promise<Beacon | null> {
  return round < 0 ? ZERO_HASH : (await chain.readBeacon(round)).hash
}

/**
 * Ensures that the beacon of the round before the current one is recorded in time, independent of the peer's other work: a model that is
 * slower than a round would otherwise void it for everybody. Peers are staggered, from the middle of the round on.
 */
export function recordInTime(node: PeerNode, time: RoundTime): void {
  const { clock, identity, logger, signal } = node
  const round = time.round - 1
  if (round < 0) return
  const roundSec = roundLengthSec(time)
  const waitSec =
    (0.5 + staggerShareOf(identity.peerKey, round) * STAGGER_SHARE) * roundSec - (time.nowSec - time.startsAtSec)
  void clock
    .sleep(Math.max(0, waitSec * 1000), signal)
    .then(() => recordBeacon(node, round, signal, (roundSec * 1000) / RECORD_POLLS))
    .catch(error => {
      if (!signal.aborted) logger.warn('the beacon was not recorded', { round, error })
    })
}

/**
 * Records a beacon once it is fixed, unless the first vote has done so or its round is over.
 *
 * @param everyMs - time between two polls; one at every block by default.
 */
export async function recordBeacon(
  { chain, clock, logger }: PeerNode,
  round: number,
  until: AbortSignal,
  everyMs?: number,
): Promise<void> {
  if (round < 0) return
  while (!until.aborted) {
    const { state } = await chain.readBeacon(round)
    if (state === 'fixed') {
      reportOutcome(logger, 'beacon recorded', await chain.drawBeacon(round), { round })
      return
    }
    if (state !== 'none') return
    await (everyMs === undefined ? chain.nextBlock(until) : clock.sleep(everyMs, until)).catch(() => undefined)
  }
}

/** 0 to 1, different for every peer and round. */
export function staggerShareOf(peerKey: PeerKey, round: number): number {
  const at = 2 + ((round * 8) % 48)
  return Number.parseInt(peerKey.slice(at, at + 8), 16) / 2 ** 32
}
