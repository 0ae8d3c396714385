import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PeerKey, TaskHash } from '#core/hashes.ts'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import { roundsKept } from '#p2p/gossip/topicRules.ts'
import { createSandbox } from '#sandbox/createSandbox.ts'
import type { JsonValue } from '#store/journal.ts'
import { everyRound } from '../duties/everyRound.ts'
import { createKeptAnswer } from '../http/keptAnswer.ts'
import type { PeerNode } from '../peerNode.ts'
import type { CanaryPoint } from '../reports/canaryPoint.ts'
import type { Route } from './answers.ts'
import { type CanaryLog, type CanaryQueue, createCanaryLog, createCanaryQueue } from './canaryQueue.ts'
import { collectPayloads } from './collectPayloads.ts'
import { type Commitments, createCommitments, openAnnounced } from './commitments.ts'
import { serveJson } from './httpServer.ts'
import { countJudged, withNewest } from './judgeCounts.ts'
import { createKeptViews } from './keptViews.ts'
import { isDueCanary, measureCanary } from './measureCanary.ts'
import { slotOf } from './payloadSlot.ts'
import { createPeerIds, type PeerIds } from './peerIds.ts'
import { createProposals, isRecent, type Proposals } from './proposals.ts'
import { type RoundView, readGroup, readRound } from './roundView.ts'
import { noteLength, noteSampled, sampledView } from './sampledView.ts'
import { specificationView, statusView } from './statusView.ts'
import { takeUnheard } from './takeUnheard.ts'
import { createTestedView } from './testedView.ts'
import { createTrainingView } from './trainingView.ts'

type GatewayOptions = {
  /** Port of the HTTP server. */
  port: number
  /** IP address that it listens on. */
  bind: string
  /** A file next to the swarm's data with the last measurement of learning; may be missing. */
  heldOutPath: string
  /** Folders of the operator's own solvers, whose training figures it serves. */
  figuresOf: readonly string[]
  /** The peer's own, for the figures of canaries. */
  folder: string
}

/** Serves peers' public payloads to pages, and runs canaries in a sandbox to measure how often the judge is right. */
export async function runGateway(node: PeerNode, options: GatewayOptions): Promise<void> {
  const { logger } = node
  const log = createCanaryLog({ folder: options.folder, clock: node.clock, logger })
  const canaries = openCanaries(node, log)
  let now = -1
  const currentRound = () => now
  const peerIds = createPeerIds(node.chain)
  const read = { chain: node.chain, peerIds, clock: node.clock, currentRound }
  const onChain: OnChain = { commitments: createCommitments(read), proposals: createProposals(read) }
  const collecting = collect(node, { peerIds, canaries, commitments: onChain.commitments })
  const routes = routesOf(node, options, { onChain, collecting, currentRound })
  const server = await serveJson(options, routes, logger)
  try {
    let isFirst = true
    await everyRound(node, async time => {
      const { round } = time
      now = round
      collecting.forgetBefore(round + roundsKept.earliest)
      node.journal.set(round, 'seen', true)
      noteLength(node.journal, round, time.endsAtSec - time.startsAtSec)
      await takeUnheard(node, collecting, time, isFirst)
      isFirst = false
    })
  } finally {
    await collecting.stop()
    server.closeAllConnections()
    server.close()
    await canaries.idle()
    await log.close()
  }
}

type OnChain = { commitments: Commitments; proposals: Proposals }
type Collecting = ReturnType<typeof collectPayloads>

/** Measures canaries, keeps their figures and counts the judge's verdicts on them. */
function openCanaries(node: PeerNode, log: CanaryLog): CanaryQueue {
  const { journal, logger, signal } = node
  return createCanaryQueue({
    async measure(peerId, canary) {
      const point = await measureCanary(node, peerId, canary)
      if (point.judge) countJudged(node.judgeCounts, point.judge)
      node.newestCanaries = withNewest(node.newestCanaries, point)
      log.note(point)
      return point
    },
    ...{ journal, logger, signal },
  })
}

type CollectModules = { peerIds: PeerIds; canaries: CanaryQueue; commitments: Commitments }

/** Collects payloads into the folder, and queues canaries for measurement. */
function collect(node: PeerNode, { peerIds, canaries, commitments }: CollectModules): Collecting {
  const { network, bundles, disk, payloads, chainId, journal, clock, logger, signal } = node
  return collectPayloads({
    ...{ network, bundles, disk, peerIds, clock, commitments, logger, signal },
    async fetch({ round, kind, contentId }, { peerKey }) {
      const wanted = { round, kind, contentId, peerKey }
      const [visited] = await node.fetchPlan.visit([wanted], signal, async () => ({ ok: true, value: null }))
      return visited?.result.ok === true
    },
    open: ({ kind, round }, commitment, bytes) => openAnnounced(payloads, kind, bytes, { chainId, round }, commitment),
    isKept: offered => journal.get(offered.round, slotOf(offered)) === offered.contentId,
    onPayload(offered, payload) {
      const { round, peerId, contentId } = offered
      journal.set(round, slotOf(offered), contentId)
      if ('groups' in payload) noteSampled(journal, round, peerId, payload)
      if ('samples' in payload && isDueCanary(node.environment, payload)) canaries.add(peerId, payload)
    },
  })
}

type Served = { onChain: OnChain; collecting: Collecting; currentRound: () => number }

/** The server's routes. */
function routesOf(node: PeerNode, options: GatewayOptions, { onChain, collecting, currentRound }: Served): Route[] {
  const trainingView = createTrainingView(options.figuresOf, node)
  const { journal, disk, clock, logger, signal, environment } = node
  const status = createKeptAnswer(clock, () => statusView(node, onChain.proposals))
  const canaries = createKeptAnswer(clock, () => canaryPoints(node))
  const views = createKeptViews<RoundView>()
  const tested = createTestedView({
    read: group => readGroup(node, onChain, group),
    ...{ proposals: environment.proposals, openSandbox: createSandbox, journal, disk, clock, logger, signal },
  })
  return [
    {
      // A number has one spelling, so that all requests for a round share its answer.
      path: /^\/v1\/rounds\/(0|[1-9]\d{0,11})$/,
      answer: match => readRound(node, { ...onChain, views }, Number(match[1])),
      queueOf: match => (isRecent(Number(match[1]), currentRound()) ? 'recent' : 'old'),
    },
    {
      path: /^\/v1\/rounds\/(0|[1-9]\d{0,11})\/tests\/(0x[0-9a-f]{64})\/(0x[0-9a-f]{64})$/,
      answer: ([, round, task, peerKey]) =>
        tested.answer({ round: Number(round), task: task as TaskHash, peerKey: peerKey as PeerKey }),
    },
    {
      path: /^\/v1\/canary$/,
      answer: async () => ({ points: await canaries(), heldOut: readHeldOut(options.heldOutPath) }),
    },
    { path: /^\/v1\/training\/(0x[0-9a-f]{64})$/, answer: match => trainingView(String(match[1])) },
    { path: /^\/v1\/sampled$/, answer: () => sampledView(node.journal, currentRound()) },
    { path: /^\/v1\/specification$/, answer: async () => specificationView(node.environment) },
    {
      path: /^\/v1\/status$/,
      answer: async () => ({ ...(await status()).status, bodies: collecting.counts() }),
    },
    {
      path: /^\/v1\/peers\/(0x[0-9a-f]{64})$/,
      answer: async match => (await status()).peers.get(String(match[1])) ?? null,
    },
  ]
}

/** Every measured canary of the rounds that are kept, oldest first, without the bins of the judge's figures, which no page reads. */
export async function canaryPoints({ journal }: Pick<PeerNode, 'journal'>): Promise<CanaryPoint[]> {
  const last = journal.latestRound() ?? 0
  const points: CanaryPoint[] = []
  for (let round = Math.max(0, last - 200); round <= last; round++) {
    await yieldToEventLoop()
    for (const [key, value] of Object.entries(journal.round(round)))
      if (key.startsWith('measured ')) {
        const { judge, ...point } = value as unknown as CanaryPoint
        const { bins: _, ...figures } = judge ?? {}
        points.push(judge === undefined ? point : { ...point, judge: figures as typeof judge })
      }
  }
  return points
}

/** The measurement of a local swarm; null if there is none that can be read. */
export function readHeldOut(path: string): JsonValue {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as JsonValue
  } catch {
    return null
  }
}

/** The default place of the measurement, next to the peers' folders of a local swarm. */
export function heldOutPathOf(data: string): string {
  return join(data, '..', '..', 'held-out.json')
}
