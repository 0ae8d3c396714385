import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bodies } from '#core/bodyOperations.ts'
import type { Hex } from '#core/hex.ts'
import { turns } from '#core/turns.ts'
import type { AnnouncementKind } from '#p2p/topics.ts'
import type { JsonValue } from '#store/journal.ts'
import { everyRound } from '../everyRound.ts'
import type { PeerNode } from '../peerNode.ts'
import { collectBodies, keptBodies } from './collectBodies.ts'
import { serveJson } from './httpServer.ts'
import { type CanaryPoint, measureCanary } from './measureCanary.ts'
import { type From, roundView } from './roundView.ts'
import { statusView } from './statusView.ts'

export type GatewayOptions = {
  /** Port of the HTTP server, on loopback. */
  port: number
  /** A file beside the swarm's data that holds what the last measurement of learning said, if there was one. */
  heldOutPath: string
}

/** Serves what peers share to pages, and runs canaries in a sandbox to say how often the judge was right. */
export async function runGateway(node: PeerNode, options: GatewayOptions): Promise<void> {
  // One at a time: each takes a core, and they are small.
  let measuring: Promise<unknown> = Promise.resolve()
  const stopCollecting = collectBodies(node, async ({ kind, round, peerId }, bytes) => {
    if (kind === 'tasks') {
      const tasks = await node.bodies.open('tasks', bytes)
      if (tasks !== null) node.journal.set(round, 'level', tasks.body.level)
    }
    const canary = kind === 'canary' ? await node.bodies.open('canary', bytes) : null
    if (canary === null) return
    measuring = measuring
      .then(async () => {
        const point = await measureCanary(node, peerId, canary.body)
        node.journal.set(round, `measured ${peerId}`, point)
        node.logger.info('canary', { ...point })
      })
      .catch(error => node.logger.warn('a canary could not be measured', { round, peerId, error }))
  })
  const server = await serveJson(
    options.port,
    [
      { path: /^\/v1\/rounds\/(\d{1,12})$/, answer: match => readRound(node, Number(match[1])) },
      {
        path: /^\/v1\/canary$/,
        answer: async () => ({ points: await canaryPoints(node), heldOut: readHeldOut(options.heldOutPath) }),
      },
      { path: /^\/v1\/status$/, answer: () => statusView(node) },
    ],
    node.logger,
  )
  try {
    await everyRound(node, async ({ round }) => {
      node.journal.set(round, 'seen', true)
    })
  } finally {
    await stopCollecting()
    server.closeAllConnections()
    server.close()
    await measuring
  }
}

async function readRound(node: PeerNode, round: number) {
  const revealed = new Set((await node.chain.readRevealedVotes(round)).map(({ contentId }) => contentId))
  const [tasks, rollouts, sheets] = await Promise.all([
    bodies(node, round, 'tasks'),
    bodies(node, round, 'rollouts'),
    bodies(node, round, 'scores'),
  ])
  if (tasks.length + rollouts.length + sheets.length === 0) return null
  const shown = sheets
    .filter(({ contentId }) => revealed.has(contentId))
    .sort((a, b) => (a.body.evaluatorKey < b.body.evaluatorKey ? -1 : 1))
  return roundView(round, { tasks, rollouts, sheets: shown }, node.environment.format)
}

async function bodies<Kind extends AnnouncementKind>(
  node: PeerNode,
  round: number,
  kind: Kind,
): Promise<(From<Bodies[Kind]> & { contentId: Hex })[]> {
  const found = await Promise.all(
    keptBodies(node, round, kind).map(async ({ peerId, contentId }) => {
      const bytes = await node.bundles.get(contentId)
      const opened = bytes && (await node.bodies.open(kind, bytes))
      return opened === null ? [] : [{ peerId, contentId, body: opened.body }]
    }),
  )
  return found.flat()
}

/** Every measured canary of the rounds that are kept, oldest first. */
async function canaryPoints({ journal }: PeerNode): Promise<CanaryPoint[]> {
  const last = journal.latestRound() ?? 0
  const points: CanaryPoint[] = []
  for (let round = Math.max(0, last - 200); round <= last; round++) {
    await turns.give()
    for (const [key, value] of Object.entries(journal.round(round)))
      if (key.startsWith('measured ')) points.push(value as unknown as CanaryPoint)
  }
  return points
}

function readHeldOut(path: string): JsonValue {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as JsonValue) : null
}

/** The default place of the measurement, beside the peers' folders of a local swarm. */
export function heldOutPathOf(data: string): string {
  return join(data, '..', '..', 'held-out.json')
}
