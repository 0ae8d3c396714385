import type { Deployment } from '@waggle/deployments/record'
import { privateKeyToAccount } from 'viem/accounts'
import type { Clock } from '#core/clock.ts'
import type { AccountKey, PeerKey } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import type { OutboxIntent, OutboxStore } from '#core/outboxStore.ts'
import type { Patience } from '#core/patience.ts'
import type { PeerSigner } from '#core/peers/peerSigner.ts'
import { type ConnectedChain, connectChain } from './connectChain.ts'
import { contractsOf } from './contracts.ts'
import { awaitAnswer } from './guard/requireChain.ts'
import { createOutbox, type Outbox, outcomeOf, type TxOutcome } from './outbox/outbox.ts'
import type { OutboxOptions, StoreDisk } from './outbox/outboxOptions.ts'
import { createOutboxRpc, type OutboxRpc } from './outbox/outboxRpc.ts'
import { isOpenRegistration, REGISTRATION_SECONDS, registerPeer } from './peers/registerPeer.ts'
import { createChainReads } from './reads.ts'
import { createRoundClock } from './rounds/roundClock.ts'
import { admitEvaluator } from './votes/seats.ts'
import { createChainWrites } from './writes.ts'

type OpenChainOptions = {
  rpcUrl: string
  deployment: Deployment
  /** Private key of the account that pays. */
  accountKey: AccountKey
  /** keccak-256 of the peer id. */
  peerKey: PeerKey
  /** Null for a key that the registry cannot check: such a peer can do everything but register. */
  signer: PeerSigner | null
  outbox: OutboxStore
  /** Of the outbox. */
  disk?: StoreDisk
  clock: Clock
  logger: Logger
  /** Ends the outbox and every wait. The next start resumes open transactions. */
  signal: AbortSignal
  /** Time between polls of the chain's newest block, until the time between blocks is known. */
  pollMs?: number
  /** Whether faults of the endpoints are waited out. Otherwise they are thrown. */
  waitsOut?: boolean
  /** Whether the account sends nothing, so that it needs no funds. */
  isReader?: boolean
  /** For a command: limits slow answers. */
  patience?: Patience | undefined
  outboxOptions?: Partial<OutboxOptions>
}

type RegisterOutcome = TxOutcome | { status: 'already registered' } | { status: 'unsupported key' }
type AdmitOutcome = TxOutcome | { status: 'already seated' }

/** By kind and outcome, as in `commit-votes mined`. */
type SentCounts = Map<string, number>

/** The chain as one peer sees it: reads, the clock of rounds, and writes that survive the node. */
export type Chain = Awaited<ReturnType<typeof runChain>>

/**
 * Connects, checks the chain, and starts the outbox. If `waitsOut` is set and the outbox is already for this chain, it waits for an endpoint that does
 * not answer.
 *
 * Every write is on disk before its promise is returned, is sent once even if the node crashes, and resolves with its outcome. Requesting the same
 * write again, after a restart, returns the outcome of the first; one that ended without a transaction in a block is tried again.
 *
 * @throws {ChainUnreachableError | WrongChainError | ContractMissingError | WrongContractError | NoFundsError}
 */
export async function openChain(options: OpenChainOptions): Promise<Chain> {
  const {
    rpcUrl,
    deployment,
    accountKey,
    clock,
    logger,
    signal,
    pollMs,
    patience,
    waitsOut,
    isReader = false,
  } = options
  const account = privateKeyToAccount(accountKey)
  const { outbox } = options
  const prefix = chainPrefix(deployment)
  const adopted = outbox.adopted()
  const wasHere = adopted?.startsWith(prefix) ?? false
  const follower = waitsOut ? { clock, logger, signal } : undefined
  const connect = () =>
    connectChain({
      ...{ rpcUrl, deployment, clock, patience },
      ...(!isReader && { payer: account.address }),
      knownHash: wasHere && adopted !== null ? adopted.slice(prefix.length) : null,
      ...(follower && { follower }),
      ...(pollMs && { pollMs }),
    })
  const chain = follower && wasHere ? await awaitAnswer(connect, follower) : await connect()
  const forgotten = outbox.adopt(`${prefix}${chain.firstHash}`)
  if (forgotten > 0)
    logger.warn('this is another chain than before; its open transactions were forgotten', { forgotten })
  return runChain({ chain, outboxRpc: createOutboxRpc(chain, account, deployment.chainId) }, options)
}

/** Prefix of a chain's name, before the hash of its first block. */
function chainPrefix(deployment: Deployment): string {
  const { chainId, rewardVotes } = contractsOf(deployment)
  return `${chainId}/${rewardVotes.address}/`
}

/** A connected chain, and the sender of its transactions. */
type ChainModules = { chain: ConnectedChain; outboxRpc: OutboxRpc }

/** As {@link openChain}, over a given connection to the chain that the outbox is for. */
export async function runChain({ chain, outboxRpc }: ChainModules, options: Omit<OpenChainOptions, 'rpcUrl'>) {
  const { deployment, accountKey, peerKey, signer, disk, clock, logger, signal } = options
  const account = outboxRpc.address
  const contracts = contractsOf(deployment)
  const rounds = createRoundClock(chain, contracts)
  const reads = createChainReads(chain, contracts)

  const outbox = createOutbox(
    {
      store: options.outbox,
      ...(disk && { disk }),
      rpc: outboxRpc,
      head: rounds.recent,
      nextHead: chain.heads.next,
      clock,
      logger,
    },
    options.outboxOptions,
  )

  const sent: SentCounts = new Map()
  const send = createSend(outbox, sent)

  return {
    ...reads,
    ...createChainWrites({ contracts, accountKey, account, peerKey, send }),
    account,
    peerKey,
    contracts,
    rounds,
    /** Resolves with the next block that is seen: only a block can change the chain's state. */
    nextBlock: (until: AbortSignal) => chain.heads.next(until),
    /** For reads that are not a peer's own, such as the market's. */
    client: chain,
    /** The outcome of transactions since the start. */
    sentCounts: (): ReadonlyMap<string, number> => sent,
    /** Sends a call that another layer built, once. */
    send,
    /** Resolves with the outcomes of all open calls whose keys begin so, also of those that an earlier start left. */
    outcomesOf: (prefix: string) => Promise.all(openKeys(options.outbox, prefix).map(outbox.outcome)),
    /** Ends when the signal is aborted and the tick in progress is over; rejects if the outbox met a defect, or an outage that it does not wait out. */
    done: outbox.run(signal),

    /** Registers this peer under this account, unless it is. */
    async registerPeer(): Promise<RegisterOutcome> {
      if (signer === null) return { status: 'unsupported key' }
      if ((await reads.readAccountOf(peerKey)) === account) return { status: 'already registered' }
      const { nowSec } = await rounds.read()
      // A transaction of an earlier start may still be pending.
      const open = options.outbox.live().find(({ key }) => isOpenRegistration(key, account, nowSec))
      if (open !== undefined) return outbox.outcome(open.key)
      const nonce = await reads.readRegistrationNonce(account)
      const registration = { account, nonce, deadlineSec: nowSec + REGISTRATION_SECONDS }
      return send(await registerPeer(contracts, signer, registration))
    },
    /** Seats an evaluator from the next round on; needs the role. */
    async admitEvaluator(evaluatorKey: PeerKey): Promise<AdmitOutcome> {
      const { round } = await rounds.read()
      if ((await reads.readSeats(round + 1)).includes(evaluatorKey)) return { status: 'already seated' }
      return send(admitEvaluator(contracts, evaluatorKey, round))
    },
  }
}

const openKeys = (store: OutboxStore, prefix: string) =>
  store.live().flatMap(({ key }) => (key.startsWith(prefix) ? [key] : []))

/** Sends a call, and counts its outcome: once, however many wait for it. */
function createSend(outbox: Outbox, counts: SentCounts) {
  const awaited = new Set<string>()
  return (intent: OutboxIntent): Promise<TxOutcome> => {
    const entry = outbox.enqueue(intent)
    const outcome = outbox.outcome(intent.key)
    if (awaited.has(intent.key) || outcomeOf(entry) !== null) return outcome
    awaited.add(intent.key)
    // The caller gets the failure.
    outcome.then(
      ({ status }) => {
        awaited.delete(intent.key)
        count(counts, `${intent.key.split(':')[0]} ${status}`)
      },
      () => undefined,
    )
    return outcome
  }
}

function count(counts: SentCounts, kind: string): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1)
}
