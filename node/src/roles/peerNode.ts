import { join } from 'node:path'
import { privateKeyToProtobuf } from '@libp2p/crypto/keys'
import type { Deployment } from '@waggle/deployments/record'
import { type Chain, openChain } from '#chain/openChain.ts'
import { type FeeSettings, feeLimits } from '#chain/outbox/feeSettings.ts'
import type { RoundTime } from '#chain/rounds/roundClock.ts'
import { roundLengthSec } from '#chain/rounds/roundLength.ts'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import type { PayloadOperations } from '#core/payloads/payloads.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import type { Environment } from '#environments/environment.ts'
import { payloadSizes } from '#environments/payloadSizes.ts'
import { deploymentTag } from '#p2p/gossip/topics.ts'
import { type Network, startNetwork } from '#p2p/network.ts'
import type { NetworkConfig } from '#p2p/networkConfig.ts'
import { removeLeftCopies } from '#store/backup/journalCopy.ts'
import { type Bundles, openBundles } from '#store/bundles.ts'
import { createDiskGuard, type DiskGuard } from '#store/diskGuard.ts'
import { exposedKeys } from '#store/exposedKeys.ts'
import { type Identity, openIdentity } from '#store/identity.ts'
import { createJournal, type Journal } from '#store/journal.ts'
import { lockDataFolder } from '#store/lockDataFolder.ts'
import { JOURNAL_FILE, openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'
import { defaultQuotas, type QuotaLimits } from '#store/payloadQuota.ts'
import { createPeerTable } from '#store/peerTable.ts'
import { removeUnfinished } from '#store/removeUnfinished.ts'
import { followBootnodes } from './bootnode/followBootnodes.ts'
import { readableBootnodes } from './bootnode/readableBootnodes.ts'
import type { FetchLimits } from './fetch/fetchLimits.ts'
import { createFetchPlan, type FetchCounts, type FetchPlan } from './fetch/fetchPlan.ts'
import { createTrainingLog, type TrainingLog } from './metrics/trainingLog.ts'
import { createEnvironmentWatch, environmentOnChain } from './models/environmentOnChain.ts'
import { forgetOtherRules } from './models/forgetOtherRules.ts'
import { largestPolicy } from './models/largestPolicy.ts'
import { createPayloadThread } from './payloads/payloadThread.ts'
import { createSealedPayloads, type SealedPayloads } from './payloads/publishPayload.ts'
import { type PlayedRound, playedRound } from './playedRound.ts'
import { ownRelease } from './release.ts'
import { reportConnections } from './reports/reportConnections.ts'
import { createTwinWatch, type TwinWatch } from './reports/twin.ts'
import { createWorkerRestarts, type WorkerRestarts } from './reports/workerRestarts.ts'
import type { AppealCounts, AuditCounts, JudgeCounts, JudgedCanary } from './roleCounts.ts'

export type PeerOptions = {
  data: string
  network: NetworkConfig
  rpcUrl: string
  deployment: Deployment
  /** Environments of this node; the chain names one of them. */
  environments: readonly Environment[]
  /** Whether it receives the announcements of all others; a gateway shows them. */
  follows: boolean
  /** Quotas for other peers' payloads. */
  quotas?: QuotaLimits
  /** Bounds of what it pays for gas. */
  fees?: FeeSettings
  /** How payloads are fetched. */
  limits?: FetchLimits
  clock: Clock
  /** Dates the messages to other peers. */
  networkClock: Clock
  /** Creates the logger once the keys are known, so that it can redact them. */
  openLogger: (identity: Identity) => Logger
  /** Ends every wait; the next start resumes what is open. */
  signal: AbortSignal
}

/** Modules that every role uses: identity, chain, network and journal. */
export type PeerNode = {
  identity: Identity
  chainId: number
  environment: Environment
  /** Whether the round has this environment, by the present state of the chain. */
  playsIn: (round: number) => Promise<boolean>
  chain: Chain
  /** First round that this peer's key counts in: the chain takes no work of earlier ones. 0 for a peer that only reads. */
  countsFrom: number
  network: Network
  journal: Journal
  bundles: Bundles
  /** Own payloads that are not served yet. */
  sealed: SealedPayloads
  /** Opens and seals payloads, in its own thread. */
  payloads: PayloadOperations
  /** Whether another process runs with these keys. */
  twin: TwinWatch
  /** Processes of models that died or hung, and were replaced. */
  workerRestarts: WorkerRestarts
  /** Pauses work while the disk of the data folder is full. */
  disk: DiskGuard
  /** The way to other peers' payloads. */
  fetchPlan: FetchPlan
  /** Payloads of other peers since the start. */
  fetchCounts: () => FetchCounts
  clock: Clock
  logger: Logger
  signal: AbortSignal
  /** Settled scores that it found wrong, and its appeals. */
  appealCounts: AppealCounts
  /** Results of recomputing settled scores. */
  auditCounts: AuditCounts
  /** Answers of canaries that it measured, by judge and execution. */
  judgeCounts: JudgeCounts
  /** Gateways only: the canaries of the newest round that were measured since the start. */
  newestCanaries: readonly JudgedCanary[]
  /** Log of updates, for the operator. */
  training: TrainingLog
  /** The last round of the role's loop. */
  round: () => PlayedRound | null
  /** Called by the role's loop; the network checks announcements against this round. */
  setRound: (time: RoundTime) => void
  close: () => Promise<void>
}

/**
 * Opens a data folder and joins chain and network. If a later step fails, everything is closed again.
 *
 * @throws {NodeError} if the environment is broken, with a hint.
 */
export async function openPeer(options: PeerOptions): Promise<PeerNode> {
  const { data, deployment, clock } = options
  const lock = lockDataFolder(data)
  const closers: (() => unknown)[] = [() => lock.release()]
  const close = async () => {
    for (const one of closers.splice(0).reverse()) await one()
  }
  const ended = new AbortController()
  const signal = AbortSignal.any([options.signal, ended.signal])
  try {
    const stores = await openStores(options, closers)
    const { identity, logger, journal } = stores
    const disk = createDiskGuard({ folder: data, clock, logger })
    const payloads = createPayloadThread()
    closers.push(payloads.close)
    const { accountKey, peerKey, signer } = identity
    const chain = await openChain({
      ...{
        rpcUrl: options.rpcUrl,
        deployment,
        accountKey,
        peerKey,
        signer,
        outbox: stores.outbox,
        disk,
        clock,
        logger,
        signal,
      },
      waitsOut: true,
      isReader: options.follows,
      ...(options.fees && { outboxOptions: feeLimits(options.fees) }),
    })
    closers.push(
      () => chain.done,
      () => ended.abort(),
    )
    const environment = await environmentOnChain({ chain, clock, signal }, options.environments)
    forgetOtherRules(journal, logger, environment.hash)
    const playsIn = createEnvironmentWatch({
      ...{ readEnvironment: chain.readEnvironment, own: environment.hash, logger },
      known: options.environments.map(({ hash }) => hash),
    })
    let played: PlayedRound | null = null
    const round = () => played
    const training = createTrainingLog({ folder: data, round: () => played?.round ?? null, clock, logger })
    closers.push(training.close)
    const twin = createTwinWatch({ journal, clock, logger })
    const joined = { ...stores, options, twin, chain, environment, round, signal }
    const network = await joinNetwork(joined)
    closers.push(network.stop)
    const fetchPlan = await openFetchPlan({ ...joined, network })
    return {
      ...{ identity, chainId: deployment.chainId, environment, playsIn, chain, countsFrom: 0, network, journal },
      ...{ bundles: stores.bundles, sealed: stores.sealed, payloads, twin },
      workerRestarts: createWorkerRestarts({ journal, clock, logger }),
      ...{ disk, fetchPlan, fetchCounts: fetchPlan.counts },
      ...{ appealCounts: new Map(), auditCounts: new Map(), judgeCounts: new Map(), newestCanaries: [] },
      ...{ clock, logger, signal, training, round },
      setRound(time) {
        played = playedRound(time, clock)
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

type Stores = Awaited<ReturnType<typeof openStores>>

/** Opens the stores of the data folder. */
async function openStores(options: PeerOptions, closers: (() => unknown)[]) {
  const { data, clock, quotas = defaultQuotas } = options
  const removed = [...removeUnfinished(data), ...removeLeftCopies(data)]
  const identity = await openIdentity(data)
  const logger = options.openLogger(identity)
  if (removed.length > 0) logger.info('unfinished files of a killed process were removed', { files: removed.join(' ') })
  const exposed = exposedKeys(data)
  if (exposed.length > 0)
    logger.warn('others on this machine can read the keys: run chmod 600 on them', { keys: exposed.join(' ') })
  // Without this line, the log of a clean stop ends like that of a kill.
  closers.push(() => options.signal.aborted && logger.info('stopped'))
  const db = openDatabase(join(data, JOURNAL_FILE))
  closers.push(() => db.close())
  const bundles = await openBundles(join(data, 'bundles'), { logger, quotas })
  const journal = createJournal(db, clock)
  const [outbox, peers] = [createOutboxTable(db), createPeerTable(db)]
  return { identity, logger, bundles, journal, sealed: createSealedPayloads(journal), outbox, peers }
}

type JoinModules = Stores & {
  twin: TwinWatch
  options: PeerOptions
  chain: Chain
  environment: Environment
  round: () => PlayedRound | null
  signal: AbortSignal
}

/** Starts the network of the swarm on that chain, and follows the chain's list of bootnodes. */
async function joinNetwork(modules: JoinModules): Promise<Network> {
  const { options, identity, chain, bundles, sealed, journal, logger, signal } = modules
  const { deployment, clock } = options
  const sizes = payloadSizes(modules.environment)
  const addresses = Object.values(deployment.contracts).map(({ address }) => address)
  const listed = await chain.readBootnodes()
  const network = await startNetwork({
    swarm: { chainId: deployment.chainId, deployment: deploymentTag(addresses) },
    privateKey: privateKeyToProtobuf(identity.privateKey),
    ...options.network,
    release: ownRelease(),
    bootnodes: [...options.network.bootnodes, ...readableBootnodes(listed, logger)],
    follows: options.follows,
    currentRound: () => modules.round()?.round ?? null,
    maxBytes: kind => sizes[kind],
    lookUp: peerIds => chain.readRegistered(peerIds.map(peerKeyOf)),
    store: modules.peers,
    onTwin(addresses) {
      const where = addresses.slice(0, 2).join(', ')
      modules.twin.seen(where === '' ? 'it signs announcements' : `it announces ${where}`)
    },
    bundles: { open: async id => (sealed.has(id) ? null : bundles.open(id)) },
    clock: options.networkClock,
    logger,
  })
  void reportConnections({ network, journal, clock, logger, signal })
  const { readBootnodes } = chain
  void followBootnodes({ network, readBootnodes, named: options.network.bootnodes, listed, clock, logger, signal })
  return network
}

/** The way to other peers' payloads, with the limits of their environment. */
async function openFetchPlan(modules: JoinModules & { network: Network }) {
  const { options, network, bundles, chain, environment, logger, signal } = modules
  const sizes = payloadSizes(environment)
  const policyBytes = await largestPolicy(environment)
  return createFetchPlan(
    { network, bundles, readPeerId: chain.readPeerId, clock: options.clock, logger, signal },
    // Rollouts are public from the end of their round, other payloads from their announcement on.
    {
      maxBytes: kind => (kind === 'policy' ? policyBytes : sizes[kind]),
      opensAtMs: () => 0,
      roundMs() {
        const played = modules.round()
        return played === null ? Number.POSITIVE_INFINITY : 1000 * roundLengthSec(played)
      },
      ...(options.limits && { limits: options.limits }),
    },
  )
}
