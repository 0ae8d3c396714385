import type { Patch } from '../../compilePatched.ts'
import { openSwarm, ROUND_SECONDS } from '../../votes/openSwarm.ts'
import { type Cast, openCast } from '../cast.ts'
import { Facts } from '../facts.ts'
import { ChainLedger } from './chainLedger.ts'

/** The real contracts with the whole cast registered and staked, and a way to begin a run on them. */
export async function openChain(patches: readonly Patch[] | 'built') {
  const swarm = await openSwarm(patches)
  const cast: Cast = await openCast((name, account) => {
    const address = swarm.accounts[account]
    if (address === undefined) throw new Error('the chain has too few accounts')
    return swarm.enrol(name, address)
  })
  for (const seat of cast.seats) await swarm.stake('evaluator', seat)
  for (const proposer of cast.proposers) await swarm.stake('proposer', proposer)
  const restore = await swarm.snapshot()
  return {
    cast,
    factsOf: (seed: number) => new Facts(swarm.chainId, seed, swarm.startsAtSec / ROUND_SECONDS),
    /** The contracts as they were before the first run. */
    async begin(seed: number): Promise<ChainLedger> {
      await restore()
      await swarm.seed(seed)
      return new ChainLedger(swarm)
    },
  }
}
