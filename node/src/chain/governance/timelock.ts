import { encodeAbiParameters, keccak256, parseAbiParameters, zeroHash } from 'viem'
import type { Salt } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { callChain } from '../callChain.ts'
import type { FollowedChain } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'

/** One call of the timelock; its value in wei is of the timelock's own coin. */
export type TimelockCall = { target: Hex; value: bigint; data: Hex }
export type TimelockState = 'missing' | 'waiting' | 'ready' | 'done'
type TimelockStanding = { state: TimelockState; readyAtSec: number | null }

/** The value of `getTimestamp` for an executed operation. */
const DONE = 1

/** Arguments of `schedule`, `execute` and `hashOperation`: target, value, data, predecessor and salt. */
export function operationArgs({ target, value, data }: TimelockCall, salt: Salt, predecessor: Hex = zeroHash) {
  return [target, value, data, predecessor, salt] as const
}

const hashed = parseAbiParameters('address, uint256, bytes, bytes32, bytes32')

/** The id of an operation, as `TimelockController.hashOperation` computes it. */
export function operationId(args: ReturnType<typeof operationArgs>): Hex {
  return keccak256(encodeAbiParameters(hashed, args))
}

/** State of an operation at the newest block; `missing` if it was never proposed, or was cancelled. */
export async function readStanding(
  { rpc, rpcUrl, heads }: FollowedChain,
  { timelock }: Contracts,
  id: Hex,
): Promise<TimelockStanding> {
  const at = Number(
    await callChain(rpcUrl, () => rpc.readContract({ ...timelock, functionName: 'getTimestamp', args: [id] })),
  )
  if (at === 0 || at === DONE) return { state: at === 0 ? 'missing' : 'done', readyAtSec: null }
  const { timeSec } = await heads.read()
  return { state: at <= timeSec ? 'ready' : 'waiting', readyAtSec: at }
}

/** Seconds that a proposal waits. */
export async function readDelay({ rpc, rpcUrl }: FollowedChain, { timelock }: Contracts): Promise<number> {
  return Number(await callChain(rpcUrl, () => rpc.readContract({ ...timelock, functionName: 'getMinDelay' })))
}
