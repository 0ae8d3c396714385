import type { Deployment } from '@waggle/deployments/record'
import { privateKeyToAccount } from 'viem/accounts'
import type { Clock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import type { Logger } from '#core/logger.ts'
import type { OutboxIntent, OutboxStore } from '#core/outboxStore.ts'
import type { PeerSigner } from '#core/peerSigner.ts'
import { admitEvaluator } from './admitEvaluator.ts'
import { type Appeal, type AppealCase, closeAppeal, openAppeal, type SeatVerdict, seatVerdict } from './appeals.ts'
import { callChain } from './callChain.ts'
import { challengeIntent } from './challengeIntent.ts'
import { challengeLeaf, type FalseLeaf } from './challengeLeaf.ts'
import { challengeSecret, type WithheldSecret } from './challengeSecret.ts'
import { claimNectar } from './claimNectar.ts'
import { claimTask, type TaskAnswered } from './claimTask.ts'
import { commitPolicy, commitRollouts, type RolloutsToCommit } from './commitRollouts.ts'
import { commitVotes } from './commitVotes.ts'
import { type ConnectedChain, connectChain } from './connectChain.ts'
import { contractsOf } from './contracts.ts'
import { judgeSeats, type SeatsToJudge } from './judgeSeats.ts'
import { closeDemand, demandLeaf, type LeafDemand, type MissingLeaf, type ShownLeaf, showLeaf } from './leafDemands.ts'
import { drawBeacon, fixBeacon } from './openBeacon.ts'
import { type ComponentOpening, closeOpenings, openComponent } from './openComponent.ts'
import { createOutbox, type TxOutcome } from './outbox.ts'
import type { OutboxOptions } from './outboxOptions.ts'
import { createOutboxRpc, type OutboxRpc } from './outboxRpc.ts'
import { commitSecret, proposalSecret, propose, type TasksToPropose } from './propose.ts'
import { createChainReads } from './reads.ts'
import { REGISTRATION_SECONDS, registerPeer } from './registerPeer.ts'
import { revealVotes } from './revealVotes.ts'
import { createRoundClock } from './roundClock.ts'
import { type ShardToSettle, settle } from './settle.ts'
import type { Ballot } from './voteCommitment.ts'

export type OpenChainOptions = {
  rpcUrl: string
  deployment: Deployment
  /** Private key of the account that pays. */
  accountKey: Hex
  /** keccak-256 of the peer id. */
  peerKey: Hex
  /** Null for a key that the registry cannot check: such a peer can do everything but register. */
  signer: PeerSigner | null
  outbox: OutboxStore
  clock: Clock
  logger: Logger
  /** Ends the outbox and every wait. The next start resumes open transactions. */
  signal: AbortSignal
  /** Time between polls of the chain's newest block, until the time between blocks is known. */
  pollMs?: number
  /** Whether faults of the endpoints are waited out. Otherwise they are thrown. */
  waitsOut?: boolean
  outboxOptions?: Partial<OutboxOptions>
}

export type RegisterOutcome = TxOutcome | { status: 'already registered' } | { status: 'unsupported key' }
export type AdmitOutcome = TxOutcome | { status: 'already seated' }

/** By kind and outcome, as in `commit-votes mined`. */
export type SentCounts = Map<string, number>

/** The chain as one peer sees it: reads, the clock of rounds, and writes that survive the node. */
export type Chain = Awaited<ReturnType<typeof runChain>>

/**
 * Connects, checks the chain, and starts the outbox.
 *
 * Every write is on the disk before its promise is handed out, is sent once however often the node dies, and resolves with
 * what became of it; asking again for the same write, after a restart, is asking about the first.
 *
 * @throws {ChainUnreachableError | WrongChainError | ContractMissingError | NoFundsError}
 */
export async function openChain(options: OpenChainOptions): Promise<Chain> {
  const { rpcUrl, deployment, accountKey, clock, logger, signal, pollMs, waitsOut } = options
  const account = privateKeyToAccount(accountKey)
  const follower = waitsOut ? { clock, logger, signal } : undefined
  const chain = await connectChain({
    ...{ rpcUrl, deployment, payer: account.address, clock },
    ...(follower && { follower }),
    ...(pollMs && { pollMs }),
  })
  return runChain({ chain, outboxRpc: createOutboxRpc(chain, account, deployment.chainId) }, options)
}

/** A chain that is connected, and how transactions get there. */
export type ChainModules = { chain: ConnectedChain; outboxRpc: OutboxRpc }

/** As {@link openChain}, over whatever is connected. */
export async function runChain({ chain, outboxRpc }: ChainModules, options: Omit<OpenChainOptions, 'rpcUrl'>) {
  const { deployment, accountKey, peerKey, signer, clock, logger, signal } = options
  const account = outboxRpc.address
  const contracts = contractsOf(deployment)
  const rounds = createRoundClock(chain, contracts)
  const reads = createChainReads(chain, contracts)

  const firstBlock = await callChain(chain.rpcUrl, () =>
    chain.rpc.getBlock({ blockNumber: BigInt(contracts.startBlock) }),
  )
  const forgotten = options.outbox.adopt(`${contracts.chainId}/${contracts.rewardVotes.address}/${firstBlock.hash}`)
  if (forgotten > 0)
    logger.warn('this is another chain than before; its open transactions were forgotten', { forgotten })
  const outbox = createOutbox(
    {
      store: options.outbox,
      rpc: outboxRpc,
      head: rounds.recent,
      nextHead: chain.heads.next,
      clock,
      logger,
    },
    options.outboxOptions,
  )

  const sent: SentCounts = new Map()
  const send = (intent: OutboxIntent): Promise<TxOutcome> => {
    outbox.enqueue(intent)
    const outcome = outbox.outcome(intent.key)
    // Whoever asked hears of a failure.
    outcome.then(
      ({ status }) => count(sent, `${intent.key.split(':')[0]} ${status}`),
      () => undefined,
    )
    return outcome
  }

  return {
    ...reads,
    account,
    peerKey,
    contracts,
    rounds,
    /** Resolves with the next block that is seen: only a block can change the chain's state. */
    nextBlock: (until: AbortSignal) => chain.heads.next(until),
    /** For reads that are not a peer's own, such as the market's. */
    client: chain,
    /** What became of transactions since the start. */
    sentCounts: (): ReadonlyMap<string, number> => sent,
    /** Sends what another layer has made of the contracts, once. */
    send,
    /** Ends when the signal is aborted and the tick in progress is over; rejects if the outbox met a defect. */
    done: outbox.run(signal),

    /** Registers this peer under this account, unless it is. */
    async registerPeer(): Promise<RegisterOutcome> {
      if (signer === null) return { status: 'unsupported key' }
      if ((await reads.readAccountOf(peerKey)) === account) return { status: 'already registered' }
      // One of an earlier start may still be on its way.
      const open = options.outbox.live().find(({ key }) => key.startsWith(`register:${account}:`))
      if (open !== undefined) return outbox.outcome(open.key)
      const nonce = await reads.readRegistrationNonce(account)
      const { nowSec } = await rounds.read()
      const registration = { account, nonce, deadlineSec: nowSec + REGISTRATION_SECONDS }
      return send(await registerPeer(contracts, signer, registration))
    },
    /** This proposer's secret for a round: for its sampling seed alone, until it is shown with the tasks. */
    proposalSecret: (round: number) => proposalSecret(accountKey, contracts, { round, peerKey }),
    /** Commits to the secret of a round, within the second round before it. */
    commitSecret: (round: number) => send(commitSecret(contracts, accountKey, { round, peerKey })),
    /** Proposes this peer's tasks for a round, within the one before it; once. */
    propose: (tasks: Omit<TasksToPropose, 'peerKey'>) => send(propose(contracts, accountKey, { ...tasks, peerKey })),
    /** Commits this peer's rollouts, within their round; may be called again with others until it ends. */
    commitRollouts: (rollouts: Omit<RolloutsToCommit, 'peerKey'>) =>
      send(commitRollouts(contracts, { ...rollouts, peerKey })),
    /** Names the policy that this peer will sample with in a round, before that round begins. */
    commitPolicy: (round: number, policyHash: Hex) => send(commitPolicy(contracts, { round, peerKey, policyHash })),
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
    /** Demands a sampled leaf that cannot be had, in one of the two rounds after its own. */
    demandLeaf: (missing: MissingLeaf, bondWei: bigint) => send(demandLeaf(contracts, missing, bondWei)),
    /** Shows a leaf that was demanded. */
    showLeaf: (shown: ShownLeaf, throughRound: number) => send(showLeaf(contracts, shown, throughRound)),
    /** Closes a demand that nobody answered; may be called early: it is sent when the time comes. */
    closeDemand: (demand: LeafDemand) => send(closeDemand(contracts, demand)),
    /** Appeals a settled score, or a verdict on it, with a bond. */
    appealScore: (appeal: Appeal) => send(openAppeal(contracts, appeal)),
    /** Takes what the account is owed by challenges; once for an id. */
    withdrawCredit: (id: string) => send(challengeIntent(contracts, id, 'withdraw', [account])),
    /** Gives this evaluator's verdict on an appeal: sealed now, opened in the round after. */
    giveVerdict(verdict: Omit<SeatVerdict, 'seatKey'>): { sealed: Promise<TxOutcome>; opened: Promise<TxOutcome> } {
      const { commit, reveal } = seatVerdict(contracts, accountKey, { ...verdict, seatKey: peerKey })
      return { sealed: send(commit), opened: send(reveal) }
    },
    /** Closes a case that is due. */
    closeAppeal: (found: AppealCase) => send(closeAppeal(contracts, found)),
    /** Has seats of a closed case paid or blamed. */
    judgeSeats: (seats: SeatsToJudge) => send(judgeSeats(contracts, seats)),
    /** Opens the score of a leaf that was drawn, within the fourth round after its own. */
    openComponent: (opening: Omit<ComponentOpening, 'ballot'> & { ballot: Omit<Ballot, 'evaluatorKey'> }) =>
      send(openComponent(contracts, accountKey, { ...opening, ballot: { ...opening.ballot, evaluatorKey: peerKey } })),
    /** Pays the openings of a shard, within the fifth. */
    closeOpenings: (round: number, shard: number) => send(closeOpenings(contracts, round, shard)),
    /** Has a task paid to its proposer, within the fifth round after its own. */
    claimTask: (answered: TaskAnswered) => send(claimTask(contracts, answered)),
    /** Claims what this peer has earned; asking again in the same round is asking about the first claim. */
    claimNectar: (currentRound: number) => send(claimNectar(contracts, peerKey, currentRound)),
    /** Seats an evaluator from the next round on; needs the role. */
    async admitEvaluator(evaluatorKey: Hex): Promise<AdmitOutcome> {
      const { round } = await rounds.read()
      if ((await reads.readSeats(round + 1)).includes(evaluatorKey)) return { status: 'already seated' }
      return send(admitEvaluator(contracts, evaluatorKey, round))
    },
  }
}

function count(counts: SentCounts, kind: string): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
}
