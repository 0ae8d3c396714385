import { phase } from '@waggle/deployments/protocol'
import { bytesToHex } from 'viem'
import type { AccountAddress, PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import type { LeafHeader } from '#core/payloads/leaf.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { EventReader } from '../rounds/roundEvents.ts'
import { specifiedSample } from '../votes/samples.ts'
import type { RolloutCommitment } from '../work/commitments.ts'
import { challengeIntent } from './challengeIntent.ts'

/** An unavailable sampled leaf: its peer, its place in the draw, and the proof that it was drawn. */
export type MissingLeaf = {
  round: number
  commitment: RolloutCommitment
  /** Position in the draw of the round's sampled leaves, not the leaf's index. */
  place: number
  /** The environment's specification, in canonical dag-cbor. */
  specification: Uint8Array
}

/** Demands a leaf, in one of the two rounds after its own. */
export function demandLeaf(contracts: Contracts, missing: MissingLeaf, bondWei: bigint): OutboxIntent {
  const { round, commitment, place, specification } = missing
  const sample = { ...specifiedSample(specification), place }
  const { peerKey } = commitment
  const bounds = { fromRound: round + phase.voting, throughRound: round + phase.revealing, valueWei: bondWei }
  const args = [BigInt(round), peerKey, workOf(commitment), sample] as const
  return challengeIntent(contracts, `${round}:${peerKey}:${place}`, 'demandLeaf', args, bounds)
}

/** A demanded leaf with its proof. */
export type ShownLeaf = { header: LeafHeader; commitment: RolloutCommitment; proof: readonly Hex[]; body: Uint8Array }

/** Publishes a demanded leaf on the chain. */
export function showLeaf(contracts: Contracts, shown: ShownLeaf, throughRound: number): OutboxIntent {
  const { header, commitment, proof, body } = shown
  const { round, peerKey, index, taskHash, policyHash, seed, bodyHash } = header
  const leaf = { index, taskHash, policyHash, seed, bodyHash }
  const args = [BigInt(round), peerKey, workOf(commitment), leaf, proof, bytesToHex(body)] as const
  return challengeIntent(contracts, `${round}:${peerKey}:${index}`, 'showLeaf', args, { throughRound })
}

/** Closes an unanswered demand, from the round after its last on. */
export function closeDemand(contracts: Contracts, { round, peerKey, index, throughRound }: LeafDemand): OutboxIntent {
  const args = [BigInt(round), peerKey, index] as const
  return challengeIntent(contracts, `${round}:${peerKey}:${index}`, 'closeDemand', args, {
    fromRound: throughRound + 1,
  })
}

const demandStates = ['none', 'open', 'shown', 'withheld'] as const
export type LeafDemand = {
  round: number
  peerKey: PeerKey
  index: number
  challenger: AccountAddress
  bondWei: bigint
  throughRound: number
  state: (typeof demandStates)[number]
}

/** Rounds to search for cases; one that nobody closed for longer is not found. */
export const LOOK_BACK = 12

/** The demands that were made in some rounds, with their outcome, by now. */
export async function readDemands(
  { rpc, rpcUrl }: ChainClient,
  { challenges }: Contracts,
  events: EventReader,
  rounds: { first: number; last: number },
): Promise<LeafDemand[]> {
  const logs = await events.inRounds(rounds, range =>
    rpc.getContractEvents({ ...challenges, eventName: 'LeafDemanded', strict: true, ...range }),
  )
  return Promise.all(
    logs.map(async ({ args: { round, throughRound, ...demand } }) => {
      const args = [round, demand.peerKey, demand.index] as const
      const { state } = await callChain(rpcUrl, () =>
        rpc.readContract({ ...challenges, functionName: 'demandOf', args }),
      )
      const known = demandStates[state] ?? 'none'
      return { ...demand, round: Number(round), throughRound: Number(throughRound), state: known }
    }),
  )
}

/** The contract demands twice the base fee of the demand's block, which can double within six blocks (EIP-1559). */
const BASE_FEES = 4n

/**
 * A bond that suffices for a demand within the next blocks, wei. From the header: geth runs a read at a base fee of 0, so that the contract would
 * name its least bond, whatever the fee.
 */
export async function readDemandBond({ rpc, rpcUrl }: ChainClient, { challenges }: Contracts): Promise<bigint> {
  const [leastWei, gas, { baseFeePerGas }] = await callChain(rpcUrl, () =>
    Promise.all([
      rpc.readContract({ ...challenges, functionName: 'minDemandBond' }),
      rpc.readContract({ ...challenges, functionName: 'RESPONSE_GAS' }),
      rpc.getBlock(),
    ]),
  )
  const bondWei = BASE_FEES * gas * (baseFeePerGas ?? 0n)
  return bondWei > leastWei ? bondWei : leastWei
}

function workOf({ root, count, policyHash, contentId }: RolloutCommitment) {
  return { root, leafCount: count, policyHash, contentId }
}
