import { COMMITTEE_SEATS } from '@waggle/deployments/protocol'
import type { RoundTime } from '#chain/rounds/roundClock.ts'
import { roundLengthSec } from '#chain/rounds/roundLength.ts'
import type { RolloutCommitment } from '#chain/work/commitments.ts'
import type { Beacon, PeerKey } from '#core/hashes.ts'
import { ZERO_HASH } from '#core/hex.ts'
import { shardsOf } from '../draws/drawCommittee.ts'
import { randomOrder } from '../draws/drawIndices.ts'
import { ownShards } from '../draws/ownShards.ts'
import { beaconOf, staggerShareOf } from '../draws/roundBeacon.ts'
import { roundSeed } from '../draws/roundSeed.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'

/** Pages to send before reading again what others have settled. More at once would settle more of them twice. */
const PAGES_AT_ONCE = 8

/** The step in which everybody settles the rest of all shards: after the steps of the seats, in the first third of the round. */
const LAST_STEP = COMMITTEE_SEATS - 1
const STEP_SHARE = 1 / 12
/** From here on appellants settle: one step after those with a seat. */
const LEFT_SHARE = COMMITTEE_SEATS * STEP_SHARE
/** From here on the chain settles nothing more, so that what is settled can be appealed: `Rounds.lastQuarterOf`. */
const CLOSED_SHARE = 3 / 4

type Page = { shard: number; peers: RolloutCommitment[]; step: number }

/** The time of the current round, as read at `atMs` of the node's clock: a seat that was busy since then does not wait again. */
type Begun = { time: RoundTime; atMs: number }

/**
 * Settles a round. Anyone may. The seats of a shard's committee take turns, a twelfth of the round apart, so that shards are settled in parallel, one
 * transaction per shard is enough, and an absent seat delays nothing. After a third of the round, everybody settles the rest, each account in another
 * order, until the chain accepts no more.
 */
export async function settleRound(node: PeerNode, round: number, begun: Begun): Promise<void> {
  const { clock, signal } = node
  if (round < 0 || isClosed(node, begun)) return
  const stepMs = roundLengthSec(begun.time) * STEP_SHARE * 1000
  const pages = await pagesOf(node, round)
  for (const step of new Set([...pages.map(page => page.step), LAST_STEP].sort())) {
    if ((await unsettled(node, round, pages)).length === 0) return
    await clock.sleep(Math.max(0, beginOf(begun) + step * stepMs - clock.nowMs()), signal)
    const due = pages.filter(page => step === LAST_STEP || page.step === step)
    await settlePages(node, round, due, begun)
  }
}

/**
 * Settles the rest of a round, for appellants: after the seats and everybody else had their time, each account in its turn.
 */
export async function settleLeft(node: PeerNode, round: number, begun: Begun): Promise<void> {
  if (
    shareOf(node, begun) < LEFT_SHARE + staggerShareOf(node.identity.peerKey, round) * STEP_SHARE ||
    isClosed(node, begun)
  )
    return
  const shards = shardsOf(await node.chain.readRolloutCommitments(round))
  const order = inOwnOrder(node, round, shards.length, ZERO_HASH)
  const pages = order.map(shard => pageOf(shards, shard))
  await settlePages(node, round, pages, begun)
}

/** When the current round began, by the node's clock. */
function beginOf({ time: { startsAtSec, nowSec }, atMs }: Begun): number {
  return atMs - (nowSec - startsAtSec) * 1000
}

/** Share of the current round that has passed, 0 to 1. */
function shareOf({ clock }: Pick<PeerNode, 'clock'>, begun: Begun): number {
  const { startsAtSec, endsAtSec } = begun.time
  return (clock.nowMs() - beginOf(begun)) / ((endsAtSec - startsAtSec) * 1000)
}

function isClosed(node: Pick<PeerNode, 'clock'>, begun: Begun): boolean {
  return shareOf(node, begun) >= CLOSED_SHARE
}

/** Settles pages until nothing of them is left, each once. */
async function settlePages(node: PeerNode, round: number, pages: readonly Page[], begun: Begun): Promise<void> {
  const sent = new Set<number>()
  while (!isClosed(node, begun)) {
    const left = (await unsettled(node, round, pages)).filter(page => !sent.has(page.shard)).slice(0, PAGES_AT_ONCE)
    if (left.length === 0) return
    await Promise.all(left.map(page => settlePage(node, round, page)))
    for (const { shard } of left) sent.add(shard)
  }
}

/** The shards of a round in this account's own order, each with the step in which it settles it. */
async function pagesOf({ chain, chainId, identity, ...node }: PeerNode, round: number): Promise<Page[]> {
  const shards = shardsOf(await chain.readRolloutCommitments(round))
  if (shards.length === 0) return []
  const beacon = await beaconOf({ chain, chainId, identity, ...node }, round)
  const own = beacon === null ? [] : await ownShards({ chain, chainId, identity, ...node }, round, beacon)
  const steps = new Map(own.map(({ shard, position }) => [shard, position]))
  const order = inOwnOrder({ chainId, identity }, round, shards.length, beacon ?? ZERO_HASH)
  return order.map(shard => ({ ...pageOf(shards, shard), step: steps.get(shard) ?? LAST_STEP }))
}

function pageOf(shards: readonly RolloutCommitment[][], shard: number): Page {
  return { shard, peers: shards[shard] as RolloutCommitment[], step: LAST_STEP }
}

function inOwnOrder(
  { chainId, identity }: Pick<PeerNode, 'chainId' | 'identity'>,
  round: number,
  shards: number,
  beacon: Beacon,
): number[] {
  return [...randomOrder(shards, roundSeed('settle', chainId, round, beacon, identity.peerKey))]
}

/** Those with peers that are still to settle: not those that lost the round before, for which the chain does nothing. */
async function unsettled({ chain }: PeerNode, round: number, pages: readonly Page[]): Promise<Page[]> {
  if (pages.length === 0) return []
  const left = without(
    pages,
    (await chain.readSettlements(round)).map(({ peerKey }) => peerKey),
  )
  return left.length === 0 ? [] : without(left, await chain.readAnnulled(round))
}

/** Pages without some peers; those that are then empty are left out. */
function without(pages: readonly Page[], peerKeys: readonly PeerKey[]): Page[] {
  const known = new Set(peerKeys)
  const left = pages.map(page => ({ ...page, peers: page.peers.filter(({ peerKey }) => !known.has(peerKey)) }))
  return left.filter(({ peers }) => peers.length > 0)
}

async function settlePage({ chain, logger }: PeerNode, round: number, { shard, peers }: Page): Promise<void> {
  const outcome = await chain.settle({ round, shard, peerKeys: peers.map(({ peerKey }) => peerKey) })
  reportOutcome(logger, 'shard settled', outcome, { round, shard, peers: peers.length })
}
