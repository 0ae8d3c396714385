import { MAX_APPEALS, phase } from '@waggle/deployments/protocol'
import { openAppeal, readAppealBond, readCase } from '#chain/challenges/appeals.ts'
import { isSettled } from '#chain/peers/readPoints.ts'
import { readRound } from '#chain/rounds/readRound.ts'
import type { PeerKey } from '#core/hashes.ts'
import { type AccountSession, CallRefusedError } from '#roles/accountSession.ts'
import { announceBond, bondOf, type OnBond } from './challengeBonds.ts'

/**
 * Appeals a settled score, or a verdict on it.
 *
 * @throws {CallRefusedError} if the current round is not the appeal's round, or the score is not settled yet.
 */
export async function appealScore(
  session: Pick<AccountSession, 'client' | 'contracts' | 'account' | 'send'>,
  { peerKey, round }: { peerKey: PeerKey; round: number },
  onBond: OnBond,
) {
  const { client, contracts } = session
  const before = await readCase(client, contracts, round, peerKey)
  if (before.level === MAX_APPEALS)
    throw new CallRefusedError(`Round ${round} of the peer was appealed twice.`, { hint: 'There is no third appeal.' })
  const level = before.level === 0 ? 1 : 2
  const dueRound = (level === 1 ? round : before.openedRound) + phase.settling
  requireRound(round, dueRound, await readRound(client, contracts))
  if (level === 1 && !(await isSettled(client, contracts, round, peerKey)))
    throw new CallRefusedError(`The peer's score of round ${round} is not settled yet.`, {
      hint: `Seats settle it in this round, and it can be appealed in this round only: try again in a moment.`,
      retryable: true,
    })
  const bondWei = await readAppealBond(client, contracts, level)
  const bond = bondOf('appeal', bondWei)
  await announceBond(session, bond, onBond)
  const sent = await session.send(openAppeal(contracts, { round, peerKey, level, dueRound, bondWei }))
  return { round, peerKey, level, ...bond, hash: sent.hash, block: sent.block }
}

function requireRound(round: number, dueRound: number, now: number): void {
  if (now === dueRound) return
  const when = now < dueRound ? 'can be appealed' : 'could be appealed'
  throw new CallRefusedError(`The score of round ${round} ${when} in round ${dueRound}; the current round is ${now}.`, {
    hint: now < dueRound ? 'Appeal it then.' : 'The score is final.',
  })
}
