import { rewardVotesAbi, rolloutCommitmentsAbi } from '@waggle/deployments/abi'
import type { Deployment } from '@waggle/deployments/record'
import type { PublicClient } from 'viem'

/** Rollouts are settled in the third round after their own. */
const SETTLED_AFTER = 3

/** Work that came to nothing: committed, and never settled or settled without a score. `of` is how many commitments were due. */
export type LostWork = { of: number; lost: string[] }

/** Looks for committed rollouts of rounds before `round - 3` that have no score. */
export async function lostWork(client: PublicClient, deployment: Deployment, round: number): Promise<LostWork> {
  const { RolloutCommitments, RewardVotes } = deployment.contracts
  const range = { fromBlock: BigInt(RolloutCommitments.startBlock), strict: true } as const
  const [work, votes] = await Promise.all([
    client.getContractEvents({
      ...{ ...range, address: RolloutCommitments.address, abi: rolloutCommitmentsAbi },
      eventName: 'RolloutsCommitted',
    }),
    client.getContractEvents({
      ...{ ...range, address: RewardVotes.address, abi: rewardVotesAbi },
      eventName: 'Settled',
    }),
  ])
  const settled = new Map(votes.map(({ args }) => [`${args.round} ${args.peerKey}`, args]))
  const due = new Set(
    work
      .filter(({ args }) => Number(args.round) + SETTLED_AFTER < round)
      .map(({ args }) => `${args.round} ${args.peerKey}`),
  )
  const lost = [...due].flatMap(key => {
    const found = settled.get(key)
    if (found === undefined) return [`${key}: never settled`]
    return found.outcome === SCORED ? [] : [`${key}: settled without a score (outcome ${found.outcome})`]
  })
  return { of: due.size, lost }
}

/** `Outcome.Scored` of RewardVotes. */
const SCORED = 1
