import { roundsAbi } from '@waggle/deployments/abi/rounds'
import { type Config, getBlock, getClient, readContract } from '@wagmi/core'
import { BaseError, ContractFunctionRevertedError, ContractFunctionZeroDataError } from 'viem'
import { getChainId } from 'viem/actions'
import type { Network } from './network.ts'
import { chainSkewSec, type RoundClock, type RunningRound } from './roundClock.ts'

/** Blocks come each second on a local chain; every other one is often enough for a countdown. */
const POLL_MS = 2_000

async function readRunningRound(config: Config, address: Network['rounds']): Promise<RunningRound> {
  const rounds = { address, abi: roundsAbi } as const
  const round = await readContract(config, { ...rounds, functionName: 'currentRound' })
  const [startsAt, endsAt, finalityRounds] = await Promise.all([
    readContract(config, { ...rounds, functionName: 'startOf', args: [round] }),
    readContract(config, { ...rounds, functionName: 'endOf', args: [round] }),
    readContract(config, { ...rounds, functionName: 'FINALITY_ROUNDS' }),
  ])
  return {
    round: Number(round),
    startsAtSec: Number(startsAt),
    endsAtSec: Number(endsAt),
    finalityRounds: Number(finalityRounds),
  }
}

/** Origin alone: an address that has a key in it all the same is not shown to visitors. */
const shownUrl = ({ rpcOrigin }: Network) => rpcOrigin

/** The state that a failed read of Rounds stands for. */
async function explain(cause: unknown, config: Config, network: Network, skewSec: number): Promise<RoundClock> {
  const url = shownUrl(network)
  if (!(cause instanceof BaseError)) throw cause
  if (cause.walk(error => error instanceof ContractFunctionZeroDataError)) return { state: 'noContract', url }
  const revert = cause.walk(error => error instanceof ContractFunctionRevertedError)
  if (!revert) return { state: 'down', url }
  // Rounds reverts before its first round only.
  const rounds = { address: network.rounds, abi: roundsAbi } as const
  const startsAt = await readContract(config, { ...rounds, functionName: 'startOf', args: [0n] }).catch(() => null)
  return startsAt === null ? { state: 'down', url } : { state: 'waiting', startsAtSec: Number(startsAt), skewSec }
}

/**
 * Follows the current round on the chain: one small read a poll, and the contract only when the round may have changed.
 *
 * @returns stops watching.
 */
export function watchRoundClock(config: Config, network: Network, onChange: (clock: RoundClock) => void): () => void {
  let stopped = false
  let skewSec: number | null = null
  let running: RunningRound | null = null
  let chainChecked = false
  const tell = (clock: RoundClock) => {
    if (!stopped) onChange(clock)
  }

  async function onBlock(timestampSec: number): Promise<void> {
    skewSec = chainSkewSec(skewSec, timestampSec - Date.now() / 1000)
    try {
      if (!chainChecked) {
        const client = getClient(config)
        const found = client === undefined ? network.chainId : await getChainId(client)
        if (found !== network.chainId)
          return tell({ state: 'wrongChain', url: shownUrl(network), expected: network.chainId, found })
        chainChecked = true
      }
      // A chain that was reset goes back in time.
      const inside = running !== null && timestampSec >= running.startsAtSec && timestampSec < running.endsAtSec
      if (running === null || !inside) running = await readRunningRound(config, network.rounds)
      tell({ state: 'running', ...running, blockSec: timestampSec, skewSec })
    } catch (cause) {
      running = null
      tell(await explain(cause, config, network, skewSec))
    }
  }

  let timer: ReturnType<typeof setTimeout> | undefined
  let seen: bigint | null = null
  async function poll(): Promise<void> {
    try {
      const { timestamp } = await getBlock(config)
      if (timestamp !== seen) await onBlock(Number(timestamp))
      seen = timestamp
    } catch {
      // The chain that comes back may be another one.
      chainChecked = false
      running = null
      seen = null
      tell({ state: 'down', url: shownUrl(network) })
    }
    if (!stopped) timer = setTimeout(poll, POLL_MS)
  }
  void poll()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
