import { formatEther } from 'viem'
import { readGovernance } from '#chain/governance/readGovernance.ts'
import { readDelay } from '#chain/governance/timelock.ts'
import { readBootnodes } from '#chain/peers/readBootnodes.ts'
import { readFunds } from '#chain/peers/transferFunds.ts'
import { createRoundClock } from '#chain/rounds/roundClock.ts'
import { readEnvironment } from '#chain/work/readEnvironment.ts'
import type { OwnerSession } from './openOwner.ts'
import { namesOf, tell } from './operations.ts'

/** Roles and their holders, current values, and pending operations. */
export async function showGovernance(session: OwnerSession) {
  const { client, contracts, deployment } = session
  const names = namesOf(deployment)
  const [time, delaySec, bootnodes, funds, { powers, operations }] = await Promise.all([
    createRoundClock(client, contracts).read(),
    readDelay(client, contracts),
    readBootnodes(client, contracts),
    readFunds(client, contracts, contracts.timelock.address),
    readGovernance(client, contracts),
  ])
  return {
    timelock: contracts.timelock.address,
    delaySec,
    holds: { nectar: formatEther(funds.nectarWei), coin: formatEther(funds.coinWei) },
    round: time.round,
    roundSeconds: time.round < 0 ? null : time.endsAtSec - time.startsAtSec,
    environment: await readEnvironment(client, contracts, Math.max(0, time.round)),
    bootnodes,
    powers: powers
      .map(({ contract, role, holder }) => ({ contract, role, holder: names.get(holder.toLowerCase()) ?? holder }))
      .sort((a, b) => `${a.contract} ${a.role}`.localeCompare(`${b.contract} ${b.role}`)),
    waiting: operations
      .filter(({ state }) => state === 'waiting' || state === 'ready')
      .map(operation => tell(session, operation)),
  }
}
