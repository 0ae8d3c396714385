import { type TestChain, UNAVAILABLE } from './testChain.ts'
import type { Ballot, TestPeer } from './testPeers.ts'

export interface Cast {
  proposer: TestPeer
  solvers: [TestPeer, TestPeer]
  evaluators: [TestPeer, TestPeer, TestPeer]
}

/** One proposer, two solvers and three evaluators, seated from the next round on; before round 0, so that their keys count at once. */
export async function gather(chain: TestChain): Promise<Cast> {
  const proposer = await chain.register()
  const solvers: Cast['solvers'] = [await chain.register(), await chain.register()]
  const evaluators: Cast['evaluators'] = [await chain.register(), await chain.register(), await chain.register()]
  for (const evaluator of evaluators) await chain.admit(evaluator)
  return { proposer, solvers, evaluators }
}

/** The second solver serves its bundle to one evaluator only: two of three vote `unavailable`. */
export function ballots({ solvers: [first, second], evaluators }: Cast): Ballot[] {
  const votes = [
    [600, UNAVAILABLE],
    [400, UNAVAILABLE],
    [900, 300],
  ] as const
  return evaluators.map((evaluator, index) => {
    const [one = 0, two = 0] = votes[index] ?? []
    return {
      evaluator,
      scores: [
        { peer: first, scoreMilli: one },
        { peer: second, scoreMilli: two },
      ],
    }
  })
}

/** One round of the chain with the whole swarm at work. Needs `enter(round)` before it, and the proposer's secret for round 2. */
export async function playRound(chain: TestChain, cast: Cast, round: number): Promise<void> {
  if (round >= 1) await chain.propose(cast.proposer, round + 1, 8)
  if (round >= 1) for (const solver of cast.solvers) await chain.commit(solver, round, 64)
  if (round >= 2) for (const ballot of ballots(cast)) await chain.commitVotes(round - 1, ballot)
  if (round >= 3) for (const ballot of ballots(cast)) await chain.revealVotes(round - 2, ballot)
  if (round >= 4) await chain.settle(round - 3, cast.solvers)
}
