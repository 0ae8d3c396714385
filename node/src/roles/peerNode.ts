import { join } from 'node:path'
import { privateKeyToProtobuf } from '@libp2p/crypto/keys'
import type { Deployment } from '@waggle/deployments/record'
import { type Chain, openChain } from '#chain/openChain.ts'
import type { RoundTime } from '#chain/roundClock.ts'
import type { BodyOperations } from '#core/bodyOperations.ts'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { peerKeyOf } from '#core/peerKey.ts'
import { bodySizes } from '#environments/bodySizes.ts'
import type { Environment } from '#environments/environment.ts'
import { readDecoderConfig } from '#model/decoderConfig.ts'
import { type Network, startNetwork } from '#p2p/network.ts'
import { deploymentTag } from '#p2p/topics.ts'
import { maxPolicyBytes } from '#rl/publishedPolicy.ts'
import { defaultQuotas, type QuotaLimits } from '#store/bodyQuota.ts'
import { type Bundles, openBundles } from '#store/bundles.ts'
import { createDiskGuard, type DiskGuard } from '#store/diskGuard.ts'
import { type Identity, openIdentity } from '#store/identity.ts'
import { createJournal, type Journal } from '#store/journal.ts'
import { lockDataFolder } from '#store/lockDataFolder.ts'
import { JOURNAL_FILE, openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'
import { createPeerTable } from '#store/peerTable.ts'
import type { AppealCounts } from './appellant/followAppeals.ts'
import type { AuditCounts } from './auditor/auditor.ts'
import { createBodyThread } from './bodyThread.ts'
import { environmentOnChain } from './environmentOnChain.ts'
import { createEnvironmentWatch } from './environmentWatch.ts'
import type { FetchLimits } from './fetch/fetchLimits.ts'
import { createFetchPlan, type FetchCounts, type FetchPlan } from './fetch/fetchPlan.ts'
import { followBootnodes } from './followBootnodes.ts'
import { createTrainingLog, type TrainingLog } from './metrics/trainingLog.ts'
import { type Reach, reachOf, readableBootnodes } from './reach.ts'
import { reportConnections } from './reportConnections.ts'
import { createSealedBodies, type SealedBodies } from './sealedBodies.ts'

export type PeerOptions = Reach & {
  data: string
  rpcUrl: string
  deployment: Deployment
  /** Those that this node can play by; the chain names one. */
  environments: readonly Environment[]
  /** Whether it hears the announcements of all others: a gateway shows them. */
  follows: boolean
  /** What is kept of other peers' bodies. */
  quotas?: QuotaLimits
  /** How bodies are fetched. */
  limits?: FetchLimits
  clock: Clock
  /** Makes the log once the keys are known, which it must never show. */
  openLogger: (identity: Identity) => Logger
  /** Ends every wait; the next start resumes what is open. */
  signal: AbortSignal
}

/** A round, with when it ends by the chain's time. */
export type PlayedRound = Pick<RoundTime, 'round' | 'startsAtSec' | 'endsAtSec'>

/** What every role uses: its identity, chain, network and journal. */
export type PeerNode = {
  identity: Identity
  chainId: number
  environment: Environment
  /** Whether the chain binds a round to that environment, by now. */
  playsIn: (round: number) => Promise<boolean>
  chain: Chain
  /** First round that this peer's key counts in: the chain takes no work of earlier ones. 0 for a peer that only reads. */
  countsFrom: number
  network: Network
  journal: Journal
  bundles: Bundles
  /** Own bodies that nobody is served yet. */
  sealed: SealedBodies
  /** Opens and seals bodies, in a thread of its own. */
  bodies: BodyOperations
  /** Pauses work while the disk of the data folder is full. */
  disk: DiskGuard
  /** The way to other peers' bodies. */
  fetchPlan: FetchPlan
  /** Payloads of other peers since the start. */
  fetchCounts: () => FetchCounts
  clock: Clock
  logger: Logger
  signal: AbortSignal
  /** Settled scores that it found wrong, and its appeals. */
  appealCounts: AppealCounts
  /** What it found when it scored again what was settled. */
  auditCounts: AuditCounts
  /** What was learned, for the operator. */
  training: TrainingLog
  /** What the loop of rounds was told last. */
  round: () => PlayedRound | null
  /** Told by the loop of rounds; the network judges announcements by it. */
  setRound: (round: PlayedRound) => void
  close: () => Promise<void>
}

/**
 * Opens a data folder and joins chain and network. What was opened is closed again if a later step fails.
 *
 * @throws {NodeError} for every way in which the surroundings can be wrong, each with what to do.
 */
export async function openPeer(options: PeerOptions): Promise<PeerNode> {
  const { data, deployment, clock, quotas = defaultQuotas } = options
  const lock = lockDataFolder(data)
  const closers: (() => unknown)[] = [() => lock.release()]
  const close = async () => {
    for (const one of closers.splice(0).reverse()) await one()
  }
  const ended = new AbortController()
  const signal = AbortSignal.any([options.signal, ended.signal])
  try {
    const identity = await openIdentity(data)
    const logger = options.openLogger(identity)
    const db = openDatabase(join(data, JOURNAL_FILE))
    closers.push(() => db.close())
    const bundles = await openBundles(join(data, 'bundles'), { logger, quotas })
    const bodies = createBodyThread()
    closers.push(bodies.close)
    const { accountKey, peerKey, signer } = identity
    const outbox = createOutboxTable(db)
    const { rpcUrl } = options
    const chain = await openChain({
      ...{ rpcUrl, deployment, accountKey, peerKey, signer, outbox, clock, logger, signal },
      waitsOut: true,
    })
    closers.push(
      () => chain.done,
      () => ended.abort(),
    )
    const environment = await environmentOnChain(chain, options.environments)
    const sizes = bodySizes(environment)
    const playsIn = createEnvironmentWatch({
      ...{ readEnvironment: chain.readEnvironment, own: environment.hash, logger },
      known: options.environments.map(({ hash }) => hash),
    })
    const journal = createJournal(db, clock)
    const sealed = createSealedBodies(journal)
    let played: PlayedRound | null = null
    const round = () => played?.round ?? null
    const training = createTrainingLog({ folder: data, round, clock, logger })
    closers.push(training.close)
    const addresses = Object.values(deployment.contracts).map(({ address }) => address)
    const listed = await chain.readBootnodes()
    const network = await startNetwork({
      swarm: { chainId: deployment.chainId, deployment: deploymentTag(addresses) },
      privateKey: privateKeyToProtobuf(identity.privateKey),
      ...reachOf(options),
      bootnodes: [...options.bootnodes, ...readableBootnodes(listed, logger)],
      follows: options.follows,
      currentRound: round,
      maxBytes: kind => sizes[kind],
      lookUp: peerIds => chain.readRegistered(peerIds.map(peerKeyOf)),
      store: createPeerTable(db),
      bundles: { get: async id => (sealed.has(id) ? null : bundles.get(id)) },
      clock,
      logger,
    })
    closers.push(network.stop)
    void reportConnections({ network, journal, clock, logger, signal })
    const { readBootnodes } = chain
    void followBootnodes({ network, readBootnodes, named: options.bootnodes, listed, clock, logger, signal })
    const policyBytes = maxPolicyBytes(await readDecoderConfig(environment.solverFolder))
    const fetchPlan = createFetchPlan(
      { network, bundles, readPeerId: chain.readPeerId, clock, logger, signal },
      // Rollouts are public from the end of their round, other bodies from their announcement on.
      {
        maxBytes: kind => (kind === 'policy' ? policyBytes : sizes[kind]),
        opensAtMs: () => 0,
        roundMs: () => (played === null ? Number.POSITIVE_INFINITY : 1000 * (played.endsAtSec - played.startsAtSec)),
        ...(options.limits && { limits: options.limits }),
      },
    )
    const setRound = (now: PlayedRound) => {
      played = now
    }
    const { chainId } = deployment
    return {
      identity,
      chainId,
      environment,
      playsIn,
      chain,
      countsFrom: 0,
      network,
      journal,
      bundles,
      sealed,
      bodies,
      disk: createDiskGuard({ folder: data, clock, logger }),
      fetchPlan,
      fetchCounts: fetchPlan.counts,
      appealCounts: new Map(),
      auditCounts: new Map(),
      clock,
      logger,
      signal,
      training,
      round: () => played,
      setRound,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
