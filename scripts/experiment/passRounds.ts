import { setTimeout as sleep } from 'node:timers/promises'
import type { Deployment } from '@waggle/deployments/record'
import { createTestClient, type Hex, http, publicActions, walletActions } from 'viem'
import { contractsOf } from '../../node/src/chain/contracts.ts'
import { isDone, type WorkingPeer, workReader } from './roundWork.ts'

/** Chain time between two blocks of a round that is over: a peer that polls every fourth block takes one that is 120 s ahead for a lie. */
const STEP_SEC = 25
/** Between two blocks. */
const BLOCK_MS = 1_000
/** Gas of either call for a beacon. */
const BEACON_GAS = 200_000n

type PassingRounds = {
  rpcUrl: string
  deployment: Deployment
  peers: readonly WorkingPeer[]
  signal: AbortSignal
  /** Told of each round that is over. */
  passed: (round: number) => void
}

/**
 * Advances the rounds of a local chain as soon as their work is done: makes the calls for each beacon as early as possible, and moves the
 * chain's time to the next round once every peer has finished this one. Incomplete rounds last as long as scheduled.
 *
 * @returns once the signal is aborted.
 */
export async function passRounds({ rpcUrl, deployment, peers, signal, passed }: PassingRounds): Promise<void> {
  const contracts = contractsOf(deployment)
  const { rounds } = contracts
  const chain = createTestClient({ mode: 'anvil', transport: http(rpcUrl, { retryCount: 5 }), cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions)
  // One of the chain's own accounts, from which no peer pays.
  const account = (await chain.getAddresses()).at(-1) as Hex
  const workOf = workReader(chain, contracts, peers)
  const startOf = (round: number) =>
    chain.readContract({ ...rounds, functionName: 'startOf', args: [BigInt(round)] }).then(Number)
  const nowSec = async () => Number((await chain.getBlock()).timestamp)
  const nextBlock = () => sleep(BLOCK_MS, undefined, { signal }).catch(() => undefined)

  async function seeToBeacon(round: number): Promise<void> {
    const args = [BigInt(round)] as const
    const [state, block] = await chain.readContract({ ...rounds, functionName: 'beaconStateOf', args })
    const functionName = (['fixBeacon', 'drawBeacon'] as const)[state]
    if (functionName === undefined || (await chain.getBlockNumber()) < block) return
    const call = { ...rounds, functionName, args, account, chain: null, gas: BEACON_GAS } as const
    await chain.waitForTransactionReceipt({ hash: await chain.writeContract(call), pollingInterval: 200 })
  }

  async function endRound(round: number): Promise<void> {
    const endsAtSec = await startOf(round + 1)
    for (let leftSec = endsAtSec - (await nowSec()); leftSec > 0 && !signal.aborted; ) {
      await chain.increaseTime({ seconds: Math.min(STEP_SEC, leftSec) })
      await nextBlock()
      leftSec = endsAtSec - (await nowSec())
    }
    passed(round)
  }

  const firstSec = await startOf(0)
  while (!signal.aborted) {
    const timeSec = await nowSec()
    if (timeSec >= firstSec) {
      const call = { ...rounds, functionName: 'roundAt', args: [BigInt(timeSec)] } as const
      const round = Number(await chain.readContract(call))
      if (round > 0) await seeToBeacon(round - 1)
      if (isDone(await workOf(round))) await endRound(round)
    }
    await nextBlock()
  }
}
