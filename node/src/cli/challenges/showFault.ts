import { challengeLeaf } from '#chain/challenges/challengeFaults.ts'
import { readBeacon } from '#chain/rounds/beacon.ts'
import { createEventReader } from '#chain/rounds/roundEvents.ts'
import { readRolloutCommitments } from '#chain/work/commitments.ts'
import type { PeerKey } from '#core/hashes.ts'
import { ZERO_HASH } from '#core/hex.ts'
import { payloadsHere } from '#core/payloads/payloads.ts'
import { type AccountSession, CallRefusedError } from '#roles/accountSession.ts'
import { findFalseLeaf } from '#roles/evaluator/findFalseLeaf.ts'
import { openCommitted } from '#roles/fetch/fetchCommitted.ts'
import { readKeptBundle } from '#store/readKeptBundle.ts'

/** The part of a session that this command needs. */
type FaultSession = Pick<AccountSession, 'client' | 'contracts' | 'data' | 'send'>

export type PeerRound = { peerKey: PeerKey; round: number }

/**
 * Proves on the chain that a leaf of a peer's commitment is false by its header, if this folder has the payload.
 *
 * @throws {CallRefusedError} if the payload is not here, or no leaf is false.
 */
export async function showFault(session: FaultSession, { peerKey, round }: PeerRound) {
  const { client, contracts, data } = session
  const events = createEventReader(client, contracts)
  const found = (await readRolloutCommitments(client, contracts, events, round)).find(one => one.peerKey === peerKey)
  const bytes = found && (await readKeptBundle(data, round, found.contentId))
  const place = { chainId: contracts.chainId, round }
  const opened = bytes && (await openCommitted(payloadsHere, bytes, place, found))
  const beacon = round === 0 ? ZERO_HASH : (await readBeacon(client, contracts, round - 1)).hash
  if (!found || typeof opened !== 'object' || opened === null || beacon === null)
    throw new CallRefusedError(`This folder has no payload that the peer committed for round ${round}.`, {
      hint: 'Name with --data the folder of a peer that took part in the round, or of a gateway.',
    })
  const leaf = findFalseLeaf(opened, found, beacon)
  if (leaf === null)
    throw new CallRefusedError(`No leaf of the peer's payload for round ${round} has a false header.`, {
      hint: 'Appeal a wrong score with npx waggle appeal. To demand a withheld leaf, use npx waggle challenge demand.',
    })
  const { hash, block } = await session.send(challengeLeaf(contracts, leaf))
  return { round, peerKey, shown: [{ fault: 'false leaf' as const, index: leaf.header.index, hash, block }] }
}
