import { challengesAbi } from '@waggle/deployments/abi/challenges'
import { getBlock, readContract } from '@wagmi/core'
import { type Hex, hexToBytes, isHex, keccak256, stringToBytes } from 'viem'
import { shorten } from '#merge/format.ts'
import { formatCoin } from '#merge/formatTokens.ts'
import type { Chain } from '../ChainProvider.tsx'
import type { Call } from '../sendCall.ts'

/** Number of rounds after its own in which a leaf can be demanded. */
export const DEMANDED_FOR = 2
/** A bond is shown as this many times the minimum. The base fee, and with it the minimum, rises by up to an eighth per block. */
const SHOWN_TIMES = 2n
/** The minimum may rise by half between the signature and the demand's block: for three full blocks. */
const signedTimes = { least: 3n, of: 2n }

/** Commitment of a peer for a round. */
export interface CommittedWork {
  round: number
  root: Hex
  leafCount: number
  policyHash: Hex
  contentId: Hex
}

/** An environment's canonical bytes, and how many leaves of each peer it samples. */
export interface Specification {
  bytes: Hex
  places: number
}

const challengesOf = ({ network }: Chain) => ({ address: network.challenges, abi: challengesAbi }) as const

/** The gateway's specification of the environment; null if it has none, or its hash does not match. */
export async function readSpecification(): Promise<Specification | null> {
  const answer = await fetch('/v1/specification')
  if (!answer.ok) return null
  const { hash, specification, places } = (await answer.json()) as Record<string, unknown>
  if (!isHex(specification) || keccak256(specification) !== hash) return null
  return Number.isInteger(places) && Number(places) > 0 ? { bytes: specification, places: Number(places) } : null
}

/** A bond that is sufficient for the next blocks, wei. */
export async function readDemandBond(chain: Chain): Promise<bigint> {
  return SHOWN_TIMES * (await readLeastBond(chain))
}

/** As the contract has it in a block with the newest one's base fee: geth runs a read at a base fee of 0. */
async function readLeastBond(chain: Chain): Promise<bigint> {
  const challenges = challengesOf(chain)
  const [leastWei, gas, { baseFeePerGas }] = await Promise.all([
    readContract(chain.config, { ...challenges, functionName: 'minDemandBond' }),
    readContract(chain.config, { ...challenges, functionName: 'RESPONSE_GAS' }),
    getBlock(chain.config),
  ])
  const bondWei = 2n * gas * (baseFeePerGas ?? 0n)
  return bondWei > leastWei ? bondWei : leastWei
}

/** Bonds and pay that wait for an account, wei. */
export function readChallengeCredit(chain: Chain, account: Hex): Promise<bigint> {
  return readContract(chain.config, { ...challengesOf(chain), functionName: 'creditOf', args: [account] })
}

/**
 * @param place - in the draw of the round's sampled leaves, from 0.
 * @param onRisen - called with the new bond if the shown one has become too small.
 */
export function demandCall(
  chain: Chain,
  peerKey: Hex,
  { round, ...work }: CommittedWork,
  sampled: { specification: Hex; place: number },
  { bondWei, onRisen }: { bondWei: bigint; onRisen: (bondWei: bigint) => void },
): Call {
  const { specification, place } = sampled
  const at = (name: string) => fieldAt(specification, name)
  const sample = { specification, place, owedAt: at('owedLeaves'), sampledAt: at('sampledLeaves') }
  const args = [BigInt(round), peerKey, work, sample]
  const what = `Demand an answer of ${shorten(peerKey)} for round ${round}`
  return {
    ...{ ...challengesOf(chain), functionName: 'demandLeaf', args, value: bondWei, what },
    async unless() {
      const leastWei = await readLeastBond(chain)
      if (bondWei * signedTimes.of >= leastWei * signedTimes.least) return null
      const dueWei = SHOWN_TIMES * leastWei
      onRisen(dueWei)
      return `The bond is now ${formatCoin(dueWei)}, more than was shown. Try again to send this.`
    },
  }
}

export function withdrawCall(chain: Chain, account: Hex): Call {
  return { ...challengesOf(chain), functionName: 'withdraw', args: [account], what: 'Withdraw what challenges owe' }
}

/** Offset at which a field of canonical dag-cbor begins: at the head of its name, 0x60 and the length. */
function fieldAt(specification: Hex, name: string): bigint {
  const bytes = hexToBytes(specification)
  const sought = Uint8Array.of(0x60 + name.length, ...stringToBytes(name))
  return BigInt(bytes.findIndex((_, at) => sought.every((byte, index) => bytes[at + index] === byte)))
}
