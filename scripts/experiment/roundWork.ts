import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex, PublicClient } from 'viem'
import type { Contracts } from '../../node/src/chain/contracts.ts'
import { readJournal } from '../../node/src/roles/reports/readJournal.ts'
import type { SolverReport } from '../../node/src/roles/solver/solverReport.ts'
import { JOURNAL_FILE } from '../../node/src/store/openDatabase.ts'
import type { SwarmPeer } from '../swarm/peers.ts'

/** Counts of the work that the end of a round waits for. */
export type RoundWork = {
  /** Solvers whose keys count in it, and those whose keys count in the round after it. */
  solvers: number
  solversNext: number
  /** Solvers that learned, that committed answers, and that named the policy of the round after it. */
  learned: number
  committed: number
  named: number
  /** Work of scoring the round before it: commitments, evaluators with a seat, and their ballots. */
  toScore: number
  seats: number
  ballots: number
  /** Work of revealing the round before that: ballots, and revealed ballots. */
  toReveal: number
  revealed: number
  /** Work of settling the round before that: revealed ballots, and settled peers. */
  toSettle: number
  settled: number
}

/** With fewer ballots nothing settles. */
const QUORUM = 2

/** Whether every peer did its work of the round. */
export function isDone(work: RoundWork): boolean {
  const answered = work.committed >= work.solvers && work.learned >= work.solvers && work.named >= work.solversNext
  const scored = work.toScore === 0 || work.ballots >= work.seats
  const settled = work.toSettle < QUORUM || work.settled > 0
  return answered && scored && work.revealed >= work.toReveal && settled
}

export type WorkingPeer = Pick<SwarmPeer, 'role' | 'peerKey' | 'folder'>

/** Reads what was done of a round from a local chain and the journals of its solvers. */
export function workReader(chain: PublicClient, contracts: Contracts, peers: readonly WorkingPeer[]) {
  const { peerRegistry, rewardVotes, rolloutCommitments, startBlock } = contracts
  const solvers = peers.filter(({ role }) => role === 'solver')
  const countsFrom = new Map<string, number>()

  async function countingIn(round: number): Promise<number> {
    for (const { peerKey } of solvers) {
      if (countsFrom.has(peerKey)) continue
      const call = { ...peerRegistry, functionName: 'membershipOf', args: [peerKey] } as const
      countsFrom.set(peerKey, Number((await chain.readContract(call))[1]))
    }
    return solvers.filter(({ peerKey }) => (countsFrom.get(peerKey) ?? 0) <= round).length
  }
  const learnedIn = (round: number) =>
    solvers.filter(({ folder }) => reportsOf(folder).some(report => report.round === round)).length
  /** Those whose last name for a round is on the chain: an earlier one may have been, too. */
  async function namedFor(round: number): Promise<number> {
    const events = await rolloutsIn(round, 'PolicyCommitted')
    const names = new Set(events.map(({ args }) => 'policyHash' in args && args.policyHash))
    return solvers.filter(({ folder }) => names.has(nameOf(folder, round))).length
  }
  const ofRound = (round: number) => ({ args: { round: BigInt(Math.max(0, round)) }, fromBlock: BigInt(startBlock) })
  const rolloutsIn = (round: number, eventName: 'RolloutsCommitted' | 'PolicyCommitted') =>
    chain.getContractEvents({ ...rolloutCommitments, ...ofRound(round), eventName })
  const votesIn = (round: number, eventName: 'VotesCommitted' | 'VotesRevealed' | 'Settled') =>
    chain.getContractEvents({ ...rewardVotes, ...ofRound(round), eventName })
  const count = async (round: number, found: Promise<readonly unknown[]>) => (round < 0 ? 0 : (await found).length)

  return async (round: number): Promise<RoundWork> => {
    const [before, second, third] = [round - 1, round - 2, round - 3]
    const seats = { ...rewardVotes, functionName: 'seatsAt', args: [BigInt(Math.max(0, before))] } as const
    return {
      solvers: await countingIn(round),
      solversNext: await countingIn(round + 1),
      learned: learnedIn(round),
      committed: await count(round, rolloutsIn(round, 'RolloutsCommitted')),
      named: await namedFor(round + 1),
      toScore: await count(before, rolloutsIn(before, 'RolloutsCommitted')),
      seats: (await chain.readContract(seats)).length,
      ballots: await count(before, votesIn(before, 'VotesCommitted')),
      toReveal: await count(second, votesIn(second, 'VotesCommitted')),
      revealed: await count(second, votesIn(second, 'VotesRevealed')),
      toSettle: await count(third, votesIn(third, 'VotesRevealed')),
      settled: await count(third, votesIn(third, 'Settled')),
    }
  }
}

/** The policy that a solver named last for a round. */
function nameOf(folder: string, round: number): Hex | undefined {
  return factsOf(folder, 'named policy').find(fact => fact.round === round)?.value as Hex | undefined
}

type SolverRound = { round: number } & SolverReport

/** Notes of a solver on its rounds so far, oldest first. */
export function reportsOf(folder: string): SolverRound[] {
  return factsOf(folder, 'report').map(({ round, value }) => ({ round, ...(value as SolverReport) }))
}

/** Read while the peer runs, or before it has begun: then there is nothing yet. */
function factsOf(folder: string, key: string): { round: number; value: unknown }[] {
  const path = join(folder, JOURNAL_FILE)
  if (!existsSync(path)) return []
  return readJournal(path, db => {
    if (db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'facts'").get() === undefined) return []
    const rows = db.prepare('SELECT round, value FROM facts WHERE key = ? ORDER BY round').all(key)
    return rows.map(({ round, value }) => ({ round: Number(round), value: JSON.parse(String(value)) }))
  })
}
