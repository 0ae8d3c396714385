import { phase, UNAVAILABLE } from '@waggle/deployments/protocol'
import { formatEther } from 'viem'
import { z } from 'zod'
import type { AppealCase } from '#chain/challenges/appeals.ts'
import { type AccountAddress, hash32, type PeerKey } from '#core/hashes.ts'
import { judgeCase } from '../duties/closeCases.ts'
import type { PeerNode } from '../peerNode.ts'
import { reportOutcome } from '../reportOutcome.ts'
import type { AppealCounts } from '../roleCounts.ts'
import { isClearlyOff } from './weighAppeal.ts'

const schema = z.array(
  z.object({
    round: z.number(),
    peerKey: hash32<PeerKey>(),
    level: z.literal([1, 2]).default(1),
    /** The score when it was appealed. */
    settledMilli: z.number(),
    foundMilli: z.number(),
  }),
)

/** An open appeal of this peer. */
export type FollowedAppeal = z.infer<typeof schema>[number]

type Kept = Pick<PeerNode, 'journal'>

const OPEN = 'appeals'
const RESTS = 'appeals rest until'

/**
 * Rounds without an appeal after one that a jury did not uphold: this machine may compute other scores than juries do, or be unreachable to
 * them, and each further appeal would cost its bond.
 */
export const REST_ROUNDS = 64

/** Rounds after which the appellant closes a case that nobody else has closed. */
const PATIENCE_ROUNDS = 1

export function countAppeal(
  { appealCounts }: Pick<PeerNode, 'appealCounts'>,
  what: Parameters<AppealCounts['get']>[0],
): void {
  appealCounts.set(what, (appealCounts.get(what) ?? 0) + 1)
}

export function openAppeals({ journal }: Kept): FollowedAppeal[] {
  return schema.catch([]).parse(journal.getState(OPEN))
}

export function noteAppeal(node: Kept, appeal: FollowedAppeal): void {
  const others = openAppeals(node).filter(({ round, peerKey }) => round !== appeal.round || peerKey !== appeal.peerKey)
  node.journal.setState(OPEN, [...others, appeal])
}

function forget({ journal }: Kept, { round, peerKey }: FollowedAppeal): void {
  journal.setState(
    OPEN,
    openAppeals({ journal }).filter(one => one.round !== round || one.peerKey !== peerKey),
  )
}

/** First round in which it appeals again. */
export function restsUntil({ journal }: Kept): number {
  return z.number().catch(0).parse(journal.getState(RESTS))
}

/** Logs how this peer's cases ended, closes those that nobody else closes, and withdraws returned bonds. */
export async function followAppeals(node: PeerNode, now: number): Promise<void> {
  for (const appeal of openAppeals(node)) await follow(node, appeal, now)
}

/** Whether this peer forgets an appeal now: it was not opened in time, is another's, or its case is closed. */
function isOver({ round, level }: FollowedAppeal, found: AppealCase, account: AccountAddress, now: number): boolean {
  if (found.level < level) return now > round + level * phase.settling
  return found.isClosed || (found.level === level && found.appellant !== account)
}

const isSame = (one: AppealCase, other: AppealCase) =>
  one.level === other.level &&
  one.appellant === other.appellant &&
  one.isClosed === other.isClosed &&
  one.finalMilli === other.finalMilli

/**
 * How an appeal ended. Without a verdict half of the bond comes back. That says nothing about this peer's reading, unless most of the jury looked for
 * the work and found nothing.
 *
 * @param backWei - what closing the case credited to the appellant.
 */
async function resultOf(
  { readAppealBond, readVerdicts }: PeerNode['chain'],
  { level, settledMilli }: FollowedAppeal,
  found: AppealCase,
  backWei: bigint,
): Promise<'upheld' | 'not upheld' | 'no verdict'> {
  if (settledMilli !== found.finalMilli) return 'upheld'
  if (backWei < (await readAppealBond(level)) / 2n) return 'not upheld'
  const missed = (await readVerdicts(found)).filter(({ scoreMilli }) => scoreMilli === UNAVAILABLE).length
  return 2 * missed > found.drawn ? 'not upheld' : 'no verdict'
}

async function closeAndJudge(node: PeerNode, found: AppealCase): Promise<void> {
  const { round, peerKey } = found
  const outcome = await node.chain.closeAppeal(found)
  node.logger.debug('case closed by its appellant', { round, peerKey, outcome })
  if (outcome.status === 'mined') await judgeCase(node, found)
}

async function follow(node: PeerNode, appeal: FollowedAppeal, now: number): Promise<void> {
  const { chain, logger } = node
  const { round, peerKey, level, settledMilli } = appeal
  const found = await chain.readCase(round, peerKey)
  const about = { round, peerKey }
  // It is forgotten for good, so that an endpoint must say so in two blocks.
  if (isOver(appeal, found, chain.account, now)) {
    await chain.nextBlock(node.signal)
    if (!isSame(found, await chain.readCase(round, peerKey))) return
  }
  if (found.level < level) {
    if (now > round + level * phase.settling) forget(node, appeal)
    return
  }
  if (found.level === level && found.appellant !== chain.account) return forget(node, appeal)
  if (!found.isClosed) {
    if (now < found.closesFrom + PATIENCE_ROUNDS) return
    void closeAndJudge(node, found).catch(error => {
      if (!node.signal.aborted) logger.warn('the seats of a case were not judged', { ...about, error })
    })
    return
  }
  const backWei = await chain.readClosingCredit(found, chain.account)
  const { finalMilli } = found
  const result = await resultOf(chain, appeal, found, backWei)
  const ended = { ...about, settledMilli, foundMilli: appeal.foundMilli, finalMilli, back: formatEther(backWei) }
  countAppeal(node, result)
  if (result === 'not upheld')
    logger.warn('appeal not upheld: it appeals nothing for a while', { ...ended, rounds: REST_ROUNDS })
  else logger.info(result === 'upheld' ? 'appeal upheld' : 'appeal ended without a verdict', ended)
  if (result === 'not upheld' || (result === 'upheld' && isClearlyOff(finalMilli, appeal.foundMilli)))
    node.journal.setState(RESTS, now + REST_ROUNDS)
  // An evaluator may have withdrawn it with other credits. Read before the appeal is forgotten: a read that fails is repeated.
  const isOwed = backWei > 0n && (await chain.readCredit(chain.account)) > 0n
  forget(node, appeal)
  if (isOwed)
    void chain
      .withdrawCredit(`appeal:${round}:${peerKey}`)
      .then(outcome => reportOutcome(logger, 'bond taken back', outcome, { ...about, back: formatEther(backWei) }))
}
