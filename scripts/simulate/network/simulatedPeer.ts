import type { Deployment } from '../../../deployments/record.ts'
import { runChain } from '../../../node/src/chain/openChain.ts'
import type { RoundTime } from '../../../node/src/chain/rounds/roundClock.ts'
import { contentId } from '../../../node/src/core/contentId.ts'
import type { Hex } from '../../../node/src/core/hex.ts'
import { type Logger, silentLogger } from '../../../node/src/core/logger.ts'
import { payloadsHere } from '../../../node/src/core/payloads/payloads.ts'
import { peerKeyOf } from '../../../node/src/core/peers/peerKey.ts'
import { payloadSizes } from '../../../node/src/environments/payloadSizes.ts'
import { servedFrom } from '../../../node/src/p2p/testHosts.ts'
import { runEvaluator } from '../../../node/src/roles/evaluator/evaluator.ts'
import { createFetchPlan } from '../../../node/src/roles/fetch/fetchPlan.ts'
import { createEnvironmentWatch } from '../../../node/src/roles/models/environmentOnChain.ts'
import { createSealedPayloads } from '../../../node/src/roles/payloads/publishPayload.ts'
import type { PeerNode } from '../../../node/src/roles/peerNode.ts'
import { type PlayedRound, playedRound } from '../../../node/src/roles/playedRound.ts'
import { runSolver } from '../../../node/src/roles/solver/solver.ts'
import type { Bundles } from '../../../node/src/store/bundles.ts'
import { createDiskGuard } from '../../../node/src/store/diskGuard.ts'
import { DiskFullError } from '../../../node/src/store/diskSpace.ts'
import { createJournal } from '../../../node/src/store/journal.ts'
import { openDatabase } from '../../../node/src/store/openDatabase.ts'
import { createPeerTable } from '../../../node/src/store/peerTable.ts'
import { cheapModels, cheapPolicy, simulatedEnvironment } from './cheapModels.ts'
import type { Medium, Station } from './medium.ts'
import { memoryOutbox } from './memoryOutbox.ts'
import type { SimulatedChain } from './simulatedChain.ts'
import { CHAIN_ID, connect, SimulatedEndpoint } from './simulatedEndpoint.ts'
import { joinNetwork, type SimulatedNetwork } from './simulatedNetwork.ts'
import { simulatedClock } from './simulatedTime.ts'

export type World = {
  chain: SimulatedChain
  medium: Medium
  deployment: Deployment
  bootnodes: readonly string[]
  /** Takes every line of every log. */
  logger?: Logger
}

export type Member = {
  peerId: string
  peerKey: Hex
  account: Hex
  accountKey: Hex
  address: string
  role: 'solver' | 'evaluator'
}

/** Conduct of a hostile peer, where it differs from an honest one's. */
export type Conduct = {
  skill?: number
  /** Whether its wrong answers keep a judge busy. */
  hangs?: boolean
  serve?: Station['serve']
  /** Messages that it forwards to peers that catch up. */
  answer?: Station['answer']
  /** Changes the node before the role runs on it. */
  bend?(node: PeerNode): PeerNode
  /** Work that it does besides its role. */
  alongside?(node: PeerNode): Promise<void>
}

/** A kind of hostile peer. */
export type Hostile = (medium: Medium, member: Member) => Conduct

/** As messages name it. */
export const SWARM = { chainId: CHAIN_ID, deployment: 'simulate' }

/** Fewer than in a real node, so that a small swarm is not a full mesh and its bootnodes are full. */
const TARGET_PEERS = 6
const MAX_CONNECTIONS = 12
/** Bytes of a policy. */
const POLICY_BYTES = 4096

/** One peer: the real role on a simulated chain, network and clock. What it keeps outlives a crash. */
export class SimulatedPeer {
  readonly member: Member
  readonly endpoints: readonly SimulatedEndpoint[]
  network: SimulatedNetwork | null = null
  /** As its role has it; null before the first start. */
  node: PeerNode | null = null
  /** Whether its disk is full: then no payload is kept, and its work waits. */
  isDiskFull = false
  /** Error that ended the role, which no error should. */
  failure: unknown = null
  private readonly world: World
  private readonly conduct: Conduct
  private readonly db = openDatabase(':memory:')
  private readonly outbox = memoryOutbox()
  private readonly bundles = memoryBundles(() => this.isDiskFull)
  private readonly policy: ReturnType<typeof cheapPolicy>
  private running = new AbortController()
  private done: Promise<unknown> = Promise.resolve()

  constructor(world: World, member: Member, endpoints: number, conduct: Conduct = {}) {
    this.world = world
    this.member = member
    this.conduct = conduct
    this.policy = cheapPolicy(member.peerId, conduct.skill ?? 1, conduct.hangs)
    this.endpoints = Array.from(
      { length: endpoints },
      (_, at) =>
        new SimulatedEndpoint(`http://endpoint-${at}`, world.chain, simulatedClock, () => 10 + 90 * Math.random()),
    )
  }

  /** Begins, or begins again after {@link crash}. */
  start(): void {
    this.running = new AbortController()
    this.done = this.run(this.running.signal).catch(error => {
      if (!this.running.signal.aborted) this.failure = error
    })
  }

  async crash(): Promise<void> {
    this.running.abort(new Error('crash'))
    await this.network?.stop()
    await this.done
  }

  private async run(signal: AbortSignal): Promise<void> {
    const node = await this.open(signal)
    const bent = this.conduct.bend?.(node) ?? node
    this.node = bent
    this.conduct.alongside?.(bent).catch(error => {
      if (!signal.aborted) this.failure = error
    })
    if (this.member.role === 'evaluator') return runEvaluator(bent, cheapModels, { demands: 0, maxAppeals: 0 })
    return runSolver(bent, this.policy, cheapModels.judge, { data: '', trained: 'weights', judgesApart: true })
  }

  private async open(signal: AbortSignal): Promise<PeerNode> {
    const { world, member, db, bundles } = this
    const { peerId, peerKey, account, accountKey } = member
    const clock = simulatedClock
    const logger = world.logger?.child({ peer: peerId }) ?? silentLogger
    const watching = { clock, logger, signal }
    const [first] = this.endpoints as [SimulatedEndpoint]
    const chain = await runChain(
      { chain: await connect(this.endpoints, watching), outboxRpc: world.chain.outboxRpc(account, first) },
      { deployment: world.deployment, accountKey, peerKey, signer: null, outbox: this.outbox, ...watching },
    )
    chain.done.catch(error => {
      if (!signal.aborted) this.failure = error
    })
    const environment = simulatedEnvironment
    const sizes = payloadSizes(environment)
    const journal = createJournal(db, clock)
    const sealed = createSealedPayloads(journal)
    let played: PlayedRound | null = null
    const network = joinNetwork({
      ...{ medium: world.medium, peerId, address: member.address, bootnodes: world.bootnodes, ...watching },
      ...{
        swarm: SWARM,
        store: createPeerTable(db),
        targetPeers: TARGET_PEERS,
        maxConnections: MAX_CONNECTIONS,
      },
      ...(this.conduct.serve && { serve: this.conduct.serve }),
      ...(this.conduct.answer && { answer: this.conduct.answer }),
      currentRound: () => played?.round ?? null,
      maxBytes: kind => sizes[kind],
      lookUp: peerIds => chain.readRegistered(peerIds.map(peerKeyOf)),
      bundles: { get: async id => (sealed.has(id) ? null : bundles.get(id)) },
    })
    this.network = network
    const fetchPlan = createFetchPlan(
      { network, bundles, readPeerId: chain.readPeerId, ...watching },
      {
        maxBytes: kind => (kind === 'policy' ? POLICY_BYTES : sizes[kind]),
        opensAtMs: () => 0,
        roundMs: () => (played === null ? Number.POSITIVE_INFINITY : 1000 * (played.endsAtSec - played.startsAtSec)),
      },
    )
    return {
      ...{ identity: { peerId, peerKey, name: peerId, address: account, accountKey, signer: null }, chainId: CHAIN_ID },
      ...{ environment, chain, countsFrom: 0, network, journal, bundles, sealed, payloads, fetchPlan, ...watching },
      playsIn: createEnvironmentWatch({
        readEnvironment: chain.readEnvironment,
        own: environment.hash,
        logger,
        known: [],
      }),
      disk: createDiskGuard({
        ...{ folder: peerId, clock, logger, probe: async () => {}, faultOf: () => null },
        readFree: async () => (this.isDiskFull ? 0 : Number.POSITIVE_INFINITY),
      }),
      fetchCounts: fetchPlan.counts,
      training: { note() {} },
      appealCounts: new Map(),
      round: () => played,
      setRound: (time: RoundTime) => {
        played = playedRound(time, clock)
      },
      close: async () => {},
    } as unknown as PeerNode
  }
}

/** Opened payloads: one that all of a committee opens is opened once. */
const opened = new Map<string, ReturnType<typeof payloadsHere.open>>()
const OPENED = 512
const payloads: typeof payloadsHere = {
  seal: payloadsHere.seal,
  open(kind, bytes) {
    const id = `${kind} ${contentId(bytes)}`
    const known = opened.get(id) ?? payloadsHere.open(kind, bytes)
    opened.set(id, known)
    if (opened.size > OPENED) opened.delete(opened.keys().next().value as string)
    return known as ReturnType<typeof payloadsHere.open<typeof kind>>
  },
}

/** Payloads in memory, without quotas. */
function memoryBundles(isFull: () => boolean): Bundles {
  const kept = new Map<Hex, { bytes: Uint8Array; round: number }>()
  const requireSpace = () => {
    if (isFull()) throw new DiskFullError('bundles')
  }
  return {
    async put(bytes, round) {
      requireSpace()
      const id = contentId(bytes)
      kept.set(id, { bytes, round })
      return id
    },
    async keep(bytes, round) {
      requireSpace()
      kept.set(contentId(bytes), { bytes, round })
      return null
    },
    async renew(id, round) {
      const known = kept.get(id)
      if (known) kept.set(id, { bytes: known.bytes, round: Math.max(known.round, round) })
    },
    needFrom: async () => 0,
    wouldKeep: () => true,
    get: async id => kept.get(id)?.bytes ?? null,
    open: async id => servedFrom(kept.get(id)?.bytes),
    has: id => kept.has(id),
    sizeOf: id => kept.get(id)?.bytes.byteLength ?? 0,
    forget: async id => void kept.delete(id),
    async pruneBefore(round) {
      for (const [id, payload] of kept) if (payload.round < round) kept.delete(id)
    },
  }
}
