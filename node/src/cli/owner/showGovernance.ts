import { NEVER_SEC } from '@waggle/deployments/protocol'
import { formatEther } from 'viem'
import { callChain } from '#chain/callChain.ts'
import { readGovernance } from '#chain/governance/readGovernance.ts'
import { readDelay } from '#chain/governance/timelock.ts'
import { readBootnodes } from '#chain/peers/readBootnodes.ts'
import { readBootstrapRounds } from '#chain/peers/readStake.ts'
import { readFunds } from '#chain/peers/transferFunds.ts'
import { createRoundClock } from '#chain/rounds/roundClock.ts'
import { readEnvironment } from '#chain/work/readEnvironment.ts'
import type { OwnerSession } from './openOwner.ts'
import { namesOf, tell } from './operations.ts'

/** Roles and their holders, current values, and pending operations. */
export async function showGovernance(session: OwnerSession) {
  const { client, contracts, deployment } = session
  const names = namesOf(deployment)
  const [time, delaySec, bootnodes, funds, bootstrap, { powers, operations }] = await Promise.all([
    createRoundClock(client, contracts).read(),
    readDelay(client, contracts),
    readBootnodes(client, contracts),
    readFunds(client, contracts, contracts.timelock.address),
    readBootstrap(session),
    readGovernance(client, contracts),
  ])
  return {
    timelock: contracts.timelock.address,
    delaySec,
    holds: { nectar: formatEther(funds.nectarWei), coin: formatEther(funds.coinWei) },
    round: time.round,
    roundSeconds: time.round < 0 ? null : time.endsAtSec - time.startsAtSec,
    bootstrap,
    environment: await readEnvironment(client, contracts, Math.max(0, time.round)),
    bootnodes,
    powers: powers
      .map(({ contract, role, holder }) => ({ contract, role, holder: names.get(holder.toLowerCase()) ?? holder }))
      .sort((a, b) => `${a.contract} ${a.role}`.localeCompare(`${b.contract} ${b.role}`)),
    waiting: await tell(
      session,
      operations.filter(({ state }) => state === 'waiting' || state === 'ready'),
    ),
  }
}

/** Rounds of bootstrap, and when the first begins and the last ends; null under a schedule that is ended by hand. */
async function readBootstrap({ client, contracts }: OwnerSession) {
  const rounds = await readBootstrapRounds(client, contracts)
  const startOf = async (round: number) =>
    Number(
      await callChain(client.rpcUrl, () =>
        client.rpc.readContract({ ...contracts.rounds, functionName: 'startOf', args: [BigInt(round)] }),
      ),
    )
  const [startsAtSec, endsAtSec] = await Promise.all([startOf(0), startOf(rounds)])
  return { rounds, startsAtSec, endsAtSec: endsAtSec === NEVER_SEC ? null : endsAtSec }
}
