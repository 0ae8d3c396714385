import { challengesAbi, rewardVotesAbi, rolloutCommitmentsAbi } from '@waggle/deployments/abi'
import type { Deployment } from '@waggle/deployments/record'
import type { PublicClient } from 'viem'

/** Rollouts are settled in the third round after their own. */
const SETTLED_AFTER = 3

/** Lost work: committed but never settled, or settled without a score and not corrected by an appeal. */
type LostWork = {
  /** Commitments that were due. */ of: number
  lost: string[] /** Scores that an appeal gave. */
  regained: number
}

/** Finds committed rollouts of rounds before `round - 3` that have no score. */
export async function lostWork(client: PublicClient, deployment: Deployment, round: number): Promise<LostWork> {
  const { RolloutCommitments, RewardVotes, Challenges } = deployment.contracts
  const range = { fromBlock: BigInt(RolloutCommitments.startBlock), strict: true } as const
  const [work, votes, appeals] = await Promise.all([
    client.getContractEvents({
      ...{ ...range, address: RolloutCommitments.address, abi: rolloutCommitmentsAbi },
      eventName: 'RolloutsCommitted',
    }),
    client.getContractEvents({
      ...{ ...range, address: RewardVotes.address, abi: rewardVotesAbi },
      eventName: 'Settled',
    }),
    client.getContractEvents({
      ...{ ...range, address: Challenges.address, abi: challengesAbi },
      eventName: 'AppealClosed',
    }),
  ])
  const settled = new Map(votes.map(({ args }) => [`${args.round} ${args.peerKey}`, args]))
  const regained = new Set(
    appeals.filter(({ args }) => args.outcome === SCORED).map(({ args }) => `${args.round} ${args.peerKey}`),
  )
  const due = new Set(
    work
      .filter(({ args }) => Number(args.round) + SETTLED_AFTER < round)
      .map(({ args }) => `${args.round} ${args.peerKey}`),
  )
  const lost = [...due].flatMap(key => {
    const found = settled.get(key)
    if (found === undefined) return [`${key}: never settled`]
    return found.outcome === SCORED || regained.has(key)
      ? []
      : [`${key}: settled without a score (outcome ${found.outcome})`]
  })
  return { of: due.size, lost, regained: regained.size }
}

/** `Outcome.Scored` of RewardVotes. */
const SCORED = 1
