import { phase, UNAVAILABLE } from '@waggle/deployments/protocol'
import { roundLengthSec } from '#chain/rounds/roundLength.ts'
import { withDeadline } from '#core/deadline.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Models } from '../checking/proofs.ts'
import { readingDeadline } from '../checking/readingDeadline.ts'
import { scoreAgain } from '../checking/scoreAgain.ts'
import { settleLeft } from '../duties/settleRound.ts'
import type { PeerNode } from '../peerNode.ts'
import { type ChosenScore, chooseScores, countOthers } from './chooseScores.ts'
import { countAppeal, followAppeals, openAppeals, restsUntil } from './followAppeals.ts'
import { type Appeals, staggerAppeals } from './staggerAppeals.ts'
import { type AppealTerms, FEWEST_MISSED, isClearlyOff, isWorthIt } from './weighAppeal.ts'

type AppellantSettings = {
  /** Scores of a round that it appeals at most; each takes a bond. */
  maxAppeals: number
  /** Value of a Nectar in the chain's coin: the chain has no price for it. */
  nectarPrice: number
}

/** Replaced in tests. */
type AppellantModules = { score: typeof scoreAgain; random: () => number }

/** Polls in a round. Some scores are settled only in its middle, and an appeal's transaction takes part of the rest. */
const POLLS_PER_ROUND = 8
const MAX_WAIT_MS = 60_000
/** Until the length of a round is known. */
const FIRST_WAIT_MS = 5_000

/** Share of rounds in which an undisputed score is read again. */
const LOT_SHARE = 1 / 8

/**
 * Appeals settled scores that are clearly wrong, where that pays, and follows its appeals, until the node stops.
 *
 * @see docs/adr/0085-a-node-appeals-by-itself.md
 */
export async function appealScores(
  node: PeerNode,
  models: Models,
  settings: AppellantSettings,
  { score, random }: AppellantModules = { score: scoreAgain, random: Math.random },
): Promise<void> {
  const { chain, clock, logger, signal } = node
  let [waitMs, round] = [FIRST_WAIT_MS, -1]
  let memory: RoundMemory = { decided: 0, read: new Set(), lot: null }
  while (!signal.aborted) {
    try {
      const time = await chain.rounds.recent()
      if (time.round !== round) {
        memory = { decided: 0, read: new Set(), lot: random() < LOT_SHARE ? random() : null }
        round = time.round
      }
      waitMs = Math.min(MAX_WAIT_MS, ((time.endsAtSec - time.startsAtSec) * 1000) / POLLS_PER_ROUND)
      await followAppeals(node, round)
      const until = withDeadline(signal, (time.endsAtSec - time.nowSec) * 1000)
      if (settings.maxAppeals > 0 && restsUntil(node) <= round) {
        const roundMs = roundLengthSec(time) * 1000
        const endsAtMs = clock.nowMs() + (time.endsAtSec - time.nowSec) * 1000
        if (round >= phase.settling) await settleLeft(node, round - phase.settling, { time, atMs: clock.nowMs() })
        await poll(node, models, { ...settings, score, until, memory, roundMs, endsAtMs }, round - phase.settling)
      }
    } catch (error) {
      if (signal.aborted) return
      logger.warn('settled scores could not be read again', { error })
    }
    await clock.sleep(waitMs, signal).catch(() => undefined)
  }
}

type Polling = AppellantSettings & {
  score: typeof scoreAgain
  /** The end of the round. */
  until: AbortSignal
  roundMs: number
  /** On the node's clock. */
  endsAtMs: number
  memory: RoundMemory
}

/** State of the round that was settled last. */
type RoundMemory = {
  /** Number of peers with an outcome at the last poll: settled, or annulled. */
  decided: number
  /** Peers whose score was read. */
  read: Set<PeerKey>
  lot: number | null
}

async function poll(node: PeerNode, models: Models, polling: Polling, round: number): Promise<void> {
  const { chain, identity } = node
  const { memory } = polling
  if (round < 0) return
  const [settlements, annulled] = await Promise.all([chain.readSettlements(round), chain.readAnnulled(round)])
  // A peer that lost the round before it was settled is never settled.
  const decided = new Set([...settlements.map(({ peerKey }) => peerKey), ...annulled]).size
  if (decided === memory.decided || !(await node.playsIn(round))) return
  const [commitments, votes] = await Promise.all([chain.readRolloutCommitments(round), chain.readRevealedVotes(round)])
  const [bondWei, gasPriceWei, bootstrapRounds, leastMilli] = await Promise.all([
    chain.readAppealBond(1),
    chain.readGasPrice(),
    chain.readBootstrapRounds(),
    chain.readLeastPoints(round),
  ])
  // The draw among the others needs all of them to be decided.
  const lot = decided < commitments.length ? null : memory.lot
  const chosen = chooseScores({ ownKey: identity.peerKey, commitments, settlements, votes }, lot)
  const appeals = staggerAppeals(node, { ...polling, peers: commitments.length })
  const unread = chosen.filter(({ peerKey }) => !memory.read.has(peerKey))
  const stakesWei = round < bootstrapRounds ? NONE : await readStakes(chain, unread)
  const terms = { bondWei, gasPriceWei, nectarPrice: polling.nectarPrice, stakesWei, leastMilli }
  for (const [at, one] of unread.entries()) {
    memory.read.add(one.peerKey)
    const until = readingDeadline(node.clock, polling, unread.length - at)
    await readOne(node, models, { ...polling, until, terms, appeals }, { ...one, round })
  }
  await appeals.done()
  // Set last, so that a failure is retried; a peer whose reading failed is not read again.
  memory.decided = decided
}

const NONE: AppealTerms['stakesWei'] = new Map()

/**
 * Stakes that are left to the seats that voted on these scores. Open cases take nothing from it: else a seat's accomplice could open wrong ones, so
 * that nobody appeals its false votes.
 */
async function readStakes(
  { readStake }: Pick<PeerNode['chain'], 'readStake'>,
  scores: readonly ChosenScore[],
): Promise<AppealTerms['stakesWei']> {
  const seats = new Set(scores.flatMap(({ settled }) => settled.votes.map(({ seatKey }) => seatKey)))
  const stakes = [...seats].map(async seatKey => [seatKey, (await readStake('evaluator', seatKey)).amountWei] as const)
  return new Map(await Promise.all(stakes))
}

/** Reads a score again, unless no result could make an appeal worthwhile, and appeals it if it is clearly wrong. */
async function readOne(
  node: PeerNode,
  models: Models,
  { score, until, terms, maxAppeals, appeals }: Polling & { terms: AppealTerms; appeals: Appeals },
  { round, peerKey, settled, missedBy }: ChosenScore & { round: number },
): Promise<void> {
  const { chain, logger } = node
  const best = settled.isOwn ? 1000 : 0
  if (!isClearlyOff(settled.settledMilli, best) || !isWorthIt(settled, best, terms)) return
  if (openAppeals(node).filter(open => open.round === round).length >= maxAppeals) return
  if ((await chain.readCase(round, peerKey)).level > 0) return
  const found = await score(node, models, { round, peerKey }, until)
  if (found === null || typeof found === 'object') return
  const isMissing = found === UNAVAILABLE
  if (isMissing && (settled.isOwn || (await countOthers(chain, peerKey, missedBy)) < FEWEST_MISSED)) return
  const foundMilli = isMissing ? 0 : found
  if (!isClearlyOff(settled.settledMilli, foundMilli)) return
  const { settledMilli } = settled
  const about = { round, peerKey, level: 1, settledMilli, foundMilli } as const
  // Nobody is slashed for the score of a payload that is gone.
  if (!isWorthIt(settled, foundMilli, isMissing ? { ...terms, stakesWei: NONE } : terms)) {
    countAppeal(node, 'not worth it')
    return logger.info('a score is clearly wrong, and an appeal would cost more than it brings', about)
  }
  appeals.take(about)
}
