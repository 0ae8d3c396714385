import { bytesToHex, encodeFunctionData, keccak256 } from 'viem'
import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { readEnvironment } from '../work/readEnvironment.ts'

/** Leaves that each peer owes in a round, and how many of them are scored. */
export type Sample = { owedLeaves: number; sampledLeaves: number }

/** Names of the two fields as dag-cbor has them, with the head byte of their length. */
const OWED = Buffer.from('\x6aowedLeaves', 'latin1')
const SAMPLED = Buffer.from('\x6dsampledLeaves', 'latin1')

/**
 * A specification and where the chain finds its sample.
 *
 * @param specification - canonical dag-cbor.
 */
export function specifiedSample(specification: Uint8Array): { specification: Hex; owedAt: bigint; sampledAt: bigint } {
  const bytes = Buffer.from(specification)
  return {
    specification: bytesToHex(specification),
    owedAt: BigInt(bytes.indexOf(OWED)),
    sampledAt: BigInt(bytes.indexOf(SAMPLED)),
  }
}

/** Tells the contract of openings the sample of an environment, once. A second call, of anybody, changes nothing. */
export function describeEnvironment({ openings }: Contracts, specification: Uint8Array): OutboxIntent {
  const { owedAt, sampledAt, specification: bytes } = specifiedSample(specification)
  return {
    key: `describe-environment:${keccak256(bytes)}`,
    to: openings.address,
    data: encodeFunctionData({ abi: openings.abi, functionName: 'describe', args: [bytes, owedAt, sampledAt] }),
    fromRound: null,
    throughRound: null,
  }
}

/** The sample of a round's environment, as the contract of openings has it; null if nobody has described it. */
export async function readSample(chain: ChainClient, contracts: Contracts, round: number): Promise<Sample | null> {
  const environmentHash = await readEnvironment(chain, contracts, round)
  const [owedLeaves, sampledLeaves] = await callChain(chain.rpcUrl, () =>
    chain.rpc.readContract({ ...contracts.openings, functionName: 'sampleOf', args: [environmentHash] }),
  )
  return sampledLeaves === 0 ? null : { owedLeaves, sampledLeaves }
}
