import { challengeLeaf } from '#chain/challengeLeaf.ts'
import { challengeTasks } from '#chain/challengeTasks.ts'
import { readBeacon } from '#chain/readBeacon.ts'
import { readRolloutCommitments, readTaskCommitments, type TaskCommitment } from '#chain/readCommitments.ts'
import { createEventReader } from '#chain/roundEvents.ts'
import { bodiesHere } from '#core/bodyOperations.ts'
import { type Hex, ZERO_HASH } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { readKeptBundle } from '#store/readKeptBundle.ts'
import { type AccountDesk, CallRefusedError } from './accountDesk.ts'
import { findFalseLeaf } from './evaluator/findFalseLeaf.ts'
import { openCommitted } from './fetch/openCommitted.ts'
import { findRepeatedTask } from './findRepeatedTask.ts'

/** What of a desk it takes. */
type FaultDesk = Pick<AccountDesk, 'client' | 'contracts' | 'data' | 'send'>

export type PeerRound = { peerKey: Hex; round: number }

/** A fault that the chain can see for itself, and the call that shows it. */
type Fault = { fault: 'false leaf' | 'repeated task'; index: number; intent: OutboxIntent }

/**
 * Shows the chain what is false in what a peer committed for a round, as far as this folder keeps its bodies.
 *
 * @throws {CallRefusedError} if nothing of it is here, or nothing is false.
 */
export async function showFault(desk: FaultDesk, { peerKey, round }: PeerRound) {
  const looks = [await findInTasks(desk, { peerKey, round }), await findInRollouts(desk, { peerKey, round })]
  const faults = looks.filter(look => typeof look === 'object')
  if (faults.length === 0) throw nothingToShow(round, looks.includes('sound'))
  const shown = []
  for (const { fault, index, intent } of faults) {
    const { hash, block } = await desk.send(intent)
    shown.push({ fault, index, hash, block })
  }
  return { round, peerKey, shown }
}

function nothingToShow(round: number, isSound: boolean): CallRefusedError {
  if (isSound)
    return new CallRefusedError(`What this folder keeps of the peer's round ${round} is not false by its headers.`, {
      hint: 'A score that is wrong is appealed, and a leaf that nobody gives is demanded: leave out --fault.',
    })
  return new CallRefusedError(`This folder keeps nothing that the peer committed for round ${round}.`, {
    hint: 'Name with --data the folder of a peer that took part in the round, or of a gateway.',
  })
}

type Look = Fault | 'sound' | 'absent'

async function findInTasks({ client, contracts, data }: FaultDesk, { peerKey, round }: PeerRound): Promise<Look> {
  const events = createEventReader(client, contracts)
  const found = own(await readTaskCommitments(client, contracts, events, round), peerKey)
  const bytes = found && (await readKeptBundle(data, round, found.contentId))
  const place = { chainId: contracts.chainId, round }
  const opened = bytes && (await openCommitted(bodiesHere, 'tasks', bytes, place, found))
  if (!found || typeof opened !== 'object' || opened === null) return 'absent'
  const repeated = findRepeatedTask({ bundle: opened.body, tree: opened.tree, contentId: found.contentId })
  if (repeated === null) return 'sound'
  return { fault: 'repeated task', index: repeated.second.index, intent: challengeTasks(contracts, repeated) }
}

async function findInRollouts({ client, contracts, data }: FaultDesk, { peerKey, round }: PeerRound): Promise<Look> {
  const events = createEventReader(client, contracts)
  const found = own(await readRolloutCommitments(client, contracts, events, round), peerKey)
  const bytes = found && (await readKeptBundle(data, round, found.contentId))
  const place = { chainId: contracts.chainId, round }
  const opened = bytes && (await openCommitted(bodiesHere, 'rollouts', bytes, place, found))
  const beacon = round === 0 ? ZERO_HASH : (await readBeacon(client, contracts, round - 1)).hash
  if (!found || typeof opened !== 'object' || opened === null || beacon === null) return 'absent'
  const leaf = findFalseLeaf(opened, found, beacon)
  if (leaf === null) return 'sound'
  return { fault: 'false leaf', index: leaf.header.index, intent: challengeLeaf(contracts, leaf) }
}

function own<T extends TaskCommitment>(commitments: readonly T[], peerKey: Hex): T | undefined {
  return commitments.find(one => one.peerKey === peerKey)
}
