import { rewardVotesAbi } from '@waggle/deployments/abi'
import type { Hex, PublicClient } from 'viem'
import { SHARD_PEERS, UNAVAILABLE } from '../../deployments/protocol.ts'
import type { RoundAudit } from '../../node/src/roles/audit/auditRound.ts'

/** A vote, by round, evaluator and the solver that it is on. */
export type Vote = { round: number; evaluatorKey: Hex; peerKey: Hex }

export type FoundLies = {
  /** Votes that are lies, and those among them that an audit names. */
  planted: number
  found: number
  /** Findings about votes that are not lies. */
  falseAlarms: string[]
}

const keyOf = ({ round, evaluatorKey, peerKey }: Vote) => `${round} ${evaluatorKey} ${peerKey}`

/**
 * Holds what an audit says of some rounds to the lies that were planted.
 *
 * @param open - the evaluator and round whose votes are lies or not: it was started again while it made them.
 */
export function compareLies(
  planted: readonly Vote[],
  audits: readonly RoundAudit[],
  open?: Pick<Vote, 'round' | 'evaluatorKey'>,
): FoundLies {
  const lies = new Set(planted.map(keyOf))
  const named = audits
    .flatMap(({ round, disagreements }) => disagreements.map(one => ({ ...one, round })))
    .filter(({ round, evaluatorKey }) => round !== open?.round || evaluatorKey !== open.evaluatorKey)
  return {
    planted: lies.size,
    found: new Set(named.map(keyOf).filter(key => lies.has(key))).size,
    falseAlarms: named
      .filter(one => !lies.has(keyOf(one)))
      .map(({ round, name, peerName, voteMilli, derivedMilli }) => {
        return `round ${round}: ${name} voted ${voteMilli} on ${peerName}, of ${derivedMilli} by the audit`
      }),
  }
}

/** Every vote of an evaluator on these rounds' solvers, as the chain has them. */
export async function votesOf(
  client: PublicClient,
  { RewardVotes }: { RewardVotes: { address: Hex; startBlock: number } },
  evaluatorKey: Hex,
  rounds: readonly Pick<RoundAudit, 'round' | 'peers'>[],
): Promise<Vote[]> {
  const revealed = await client.getContractEvents({
    ...{ address: RewardVotes.address, abi: rewardVotesAbi, eventName: 'VotesRevealed', strict: true },
    fromBlock: BigInt(RewardVotes.startBlock),
  })
  const own = revealed.filter(({ args }) => args.evaluatorKey === evaluatorKey)
  return rounds.flatMap(({ round, peers }) =>
    own
      .filter(({ args }) => Number(args.round) === round)
      .flatMap(({ args: { shard, scoresMilli } }) =>
        scoresMilli.flatMap((score, at) => {
          const peerKey = peers[shard * SHARD_PEERS + at]?.peerKey
          return score === UNAVAILABLE || peerKey === undefined ? [] : [{ round, evaluatorKey, peerKey }]
        }),
      ),
  )
}
