import type { AccountAddress, AccountKey, PeerKey, PolicyHash } from '#core/hashes.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import {
  type Appeal,
  type AppealCase,
  closeAppeal,
  openAppeal,
  type SeatVerdict,
  seatVerdict,
} from './challenges/appeals.ts'
import { challengeLeaf, challengeSecret, type FalseLeaf, type WithheldSecret } from './challenges/challengeFaults.ts'
import { challengeIntent } from './challenges/challengeIntent.ts'
import { judgeSeats, type SeatsToJudge } from './challenges/judgeSeats.ts'
import {
  closeDemand,
  demandLeaf,
  type LeafDemand,
  type MissingLeaf,
  type ShownLeaf,
  showLeaf,
} from './challenges/leafDemands.ts'
import type { Contracts } from './contracts.ts'
import type { TxOutcome } from './outbox/outbox.ts'
import { claimNectar } from './peers/nectar.ts'
import { drawBeacon, fixBeacon } from './rounds/beacon.ts'
import { type ComponentOpening, closeOpenings, openComponent } from './votes/openComponent.ts'
import { describeEnvironment } from './votes/samples.ts'
import { type Ballot, commitVotes, revealVotes, type ShardToSettle, settle } from './votes/votes.ts'
import { claimTask, type TaskAnswered } from './work/claimTask.ts'
import { commitPolicy, commitRollouts, type RolloutsToCommit } from './work/commitments.ts'
import { commitSecret, proposalSecret, propose, type TasksToPropose } from './work/proposals.ts'

type WriteModules = {
  contracts: Contracts
  /** Private key of the account that pays: secrets of ballots and proposals are derived from it. */
  accountKey: AccountKey
  account: AccountAddress
  peerKey: PeerKey
  send: (intent: OutboxIntent) => Promise<TxOutcome>
}

/** Every write that a peer makes without a prior read, bound to its keys and its outbox. */
export function createChainWrites({ contracts, accountKey, account, peerKey, send }: WriteModules) {
  return {
    /** This proposer's secret for a round: only for its sampling seed, until it is shown with the tasks. */
    proposalSecret: (round: number) => proposalSecret(accountKey, contracts, { round, peerKey }),
    /** Commits to the secret of a round, within the second round before it. */
    commitSecret: (round: number) => send(commitSecret(contracts, accountKey, { round, peerKey })),
    /** Proposes this peer's tasks for a round, within the one before it; once. */
    propose: (tasks: Omit<TasksToPropose, 'peerKey'>) => send(propose(contracts, accountKey, { ...tasks, peerKey })),
    /** Commits this peer's rollouts, within their round; may be called again with others until it ends. */
    commitRollouts: (rollouts: Omit<RolloutsToCommit, 'peerKey'>) =>
      send(commitRollouts(contracts, { ...rollouts, peerKey })),
    /** Names the policy that this peer will sample with in a round, before that round begins. */
    commitPolicy: (round: number, policyHash: PolicyHash) =>
      send(commitPolicy(contracts, { round, peerKey, policyHash })),
    /** Fixes the block of a round's beacon, within the round after it. */
    fixBeacon: (round: number) => send(fixBeacon(contracts, round)),
    /** Records a round's beacon, within the round after it. */
    drawBeacon: (round: number) => send(drawBeacon(contracts, round)),
    /** Commits this evaluator's votes on a shard, within the round after its own. */
    commitVotes: (ballot: Omit<Ballot, 'evaluatorKey'>) =>
      send(commitVotes(contracts, accountKey, { ...ballot, evaluatorKey: peerKey })),
    /** Reveals the same votes, within the second round after it. May be called early: it is sent when the time comes. */
    revealVotes: (ballot: Omit<Ballot, 'evaluatorKey'>) =>
      send(revealVotes(contracts, accountKey, { ...ballot, evaluatorKey: peerKey })),
    /** Settles peers of a shard, within the third round after. */
    settle: (page: ShardToSettle) => send(settle(contracts, page)),
    /** Shows a false leaf to the chain, from the end of its round until that is final. */
    challengeLeaf: (found: FalseLeaf) => send(challengeLeaf(contracts, found)),
    /** Shows a secret that its proposer withheld, from its round on. */
    challengeSecret: (withheld: WithheldSecret) => send(challengeSecret(contracts, withheld)),
    /** Demands an unavailable sampled leaf, in one of the two rounds after its own. */
    demandLeaf: (missing: MissingLeaf, bondWei: bigint) => send(demandLeaf(contracts, missing, bondWei)),
    /** Shows a leaf that was demanded. */
    showLeaf: (shown: ShownLeaf, throughRound: number) => send(showLeaf(contracts, shown, throughRound)),
    /** Closes an unanswered demand; may be called early: it is sent when it is due. */
    closeDemand: (demand: LeafDemand) => send(closeDemand(contracts, demand)),
    /** Appeals a settled score, or a verdict on it, with a bond. */
    appealScore: (appeal: Appeal) => send(openAppeal(contracts, appeal)),
    /** Withdraws the account's credit from challenges; once for an id. */
    withdrawCredit: (id: string) => send(challengeIntent(contracts, id, 'withdraw', [account])),
    /** Gives this evaluator's verdict on an appeal: sealed now, opened in the round after. */
    giveVerdict(verdict: Omit<SeatVerdict, 'seatKey'>): { sealed: Promise<TxOutcome>; opened: Promise<TxOutcome> } {
      const { commit, reveal } = seatVerdict(contracts, accountKey, { ...verdict, seatKey: peerKey })
      // First, and it waits for its round: a stop after the seal alone would leave a verdict that nobody opens.
      const opened = send(reveal)
      return { sealed: send(commit), opened }
    },
    /** Closes a case that is due. */
    closeAppeal: (found: AppealCase) => send(closeAppeal(contracts, found)),
    /** Pays or slashes seats of a closed case. */
    judgeSeats: (seats: SeatsToJudge) => send(judgeSeats(contracts, seats)),
    /** Describes an environment to the contract of openings; once for a specification. */
    describeEnvironment: (specification: Uint8Array) => send(describeEnvironment(contracts, specification)),
    /** Opens the score of a leaf that was drawn, within the fourth round after its own. */
    openComponent: (opening: Omit<ComponentOpening, 'ballot'> & { ballot: Omit<Ballot, 'evaluatorKey'> }) =>
      send(openComponent(contracts, accountKey, { ...opening, ballot: { ...opening.ballot, evaluatorKey: peerKey } })),
    /** Pays the openings of a shard, within the fifth. */
    closeOpenings: (round: number, shard: number) => send(closeOpenings(contracts, round, shard)),
    /** Pays a task to its proposer, within the fifth round after its own. */
    claimTask: (answered: TaskAnswered) => send(claimTask(contracts, answered)),
    /** Claims this peer's earnings; repeated calls in a round return the first claim. */
    claimNectar: (currentRound: number) => send(claimNectar(contracts, peerKey, currentRound)),
  }
}
