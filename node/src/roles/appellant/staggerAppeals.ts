import type { Hex } from '#core/hex.ts'
import { createKeyedLimit } from '#core/keyedLimit.ts'
import { roundSeed } from '../draws/roundSeed.ts'
import type { PeerNode } from '../peerNode.ts'
import { type FollowedAppeal, openAppeals } from './followAppeals.ts'
import { sendAppeal } from './sendAppeal.ts'

/** A settled score that this peer finds clearly wrong. */
export type Finding = FollowedAppeal & { level: 1 }

/** The round in which it is appealed. */
type AppealRound = {
  /** Number of peers that committed, and may have found the same. */
  peers: number
  /** Scores of a round that are appealed at most; each takes a bond. */
  maxAppeals: number
  /** Its length (see `roundLengthSec`), and when it ends on the node's clock. */
  roundMs: number
  endsAtMs: number
}

/** All appeals are sent within this share of the round, and within half of its remaining time: each appeal needs time to be mined. */
const STAGGER_SHARE = 1 / 4

/**
 * Appeals each score after a delay that differs by peer, unless it is appealed by then: only one appeal of a score counts, and the others pay for a
 * call that reverts.
 *
 * @see docs/adr/0131-first-appeals-take-turns.md
 */
export function staggerAppeals(node: PeerNode, { peers, maxAppeals, roundMs, endsAtMs }: AppealRound) {
  const { chain, clock, logger, signal } = node
  const one = createKeyedLimit(1)
  const underWay: Promise<void>[] = []

  async function appeal(finding: Finding): Promise<void> {
    const spanMs = Math.min(STAGGER_SHARE * roundMs, (endsAtMs - clock.nowMs()) / 2)
    const waitMs = (appealStep(node, finding, peers) * spanMs) / lastStep(peers)
    if (waitMs > 0) await clock.sleep(waitMs, signal)
    // In sequence, so that the budget counts all of them.
    await one.run('', () => send(finding))
  }
  async function send(finding: Finding): Promise<void> {
    if (openAppeals(node).filter(open => open.round === finding.round).length >= maxAppeals) return
    const isAppealed = (await chain.readCase(finding.round, finding.peerKey)).level > 0
    if (isAppealed) logger.debug('a score that is clearly wrong was appealed by another', finding)
    else await sendAppeal(node, finding, await chain.readAppealBond(1))
  }

  return {
    /** Appeals a score after its delay, in the background. */
    take(finding: Finding): void {
      const ended = appeal(finding).catch(error => {
        if (!signal.aborted) logger.warn('a score could not be appealed', { ...finding, error })
      })
      underWay.push(ended)
    },
    /** Resolves when all appeals were sent or left to others. */
    async done(): Promise<void> {
      await Promise.all(underWay)
    },
  }
}

export type Appeals = ReturnType<typeof staggerAppeals>

type Who = { chainId: number; identity: Pick<PeerNode['identity'], 'peerKey'> }

/**
 * The step of the delay at which a peer appeals a score, from 0 on. The scored peer has the first. Of n others, about one is drawn for each of the
 * next two steps, then two, four and so on, so that few appeals are sent at once however many peers found the same.
 */
export function appealStep(
  { chainId, identity }: Who,
  { round, peerKey }: Pick<Finding, 'round' | 'peerKey'>,
  peers: number,
) {
  if (peerKey === identity.peerKey) return 0
  // Depends on the score, so that nobody is first at all scores of a round.
  const seed = roundSeed('appeal', chainId, round, peerKey as Hex, identity.peerKey)
  const zeros = Math.clz32(Number.parseInt(seed.slice(2, 10), 16))
  return Math.max(1, lastStep(peers) - zeros)
}

/** Half of all peers have this one. */
function lastStep(peers: number): number {
  return 1 + Math.ceil(Math.log2(Math.max(1, peers)))
}
