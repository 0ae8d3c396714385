import type { ContentId, PeerKey, TaskHash } from '#core/hashes.ts'
import { ZERO_HASH } from '#core/hex.ts'
import { type Payloads, type RolloutBundle, type ScoreSheet, tokenWidth } from '#core/payloads/payloads.ts'
import { taskHash } from '#core/payloads/taskProposal.ts'
import { peerKeyOf } from '#core/peers/peerKey.ts'
import { peerName } from '#core/peers/peerName.ts'
import { mapYielding } from '#core/threads/mapYielding.ts'
import type { Environment } from '#environments/environment.ts'
import type { PromptFormat } from '#environments/promptFormat.ts'
import { type AnnouncementKind, announcementKinds } from '#p2p/gossip/topics.ts'
import { packedText } from '../draws/drawTasks.ts'
import type { PeerNode } from '../peerNode.ts'
import { type Commitments, commitmentTo } from './commitments.ts'
import type { KeptViews } from './keptViews.ts'
import type { Proposals, ShownProposal } from './proposals.ts'

/** A page holds all of its payloads in memory, decoded. */
const MAX_PAGE_BYTES = 32 * 2 ** 20

type Kind = Exclude<AnnouncementKind, 'canary'>
type KeptPayload = { kind: Kind; peerId: string; contentId: ContentId }
type Opened<K extends Kind> = From<Payloads[K]> & { contentId: ContentId }

type OnChain = { commitments: Commitments; proposals: Proposals }
/** Tasks, answers and scores of a round, as its page shows them. */
export type RoundView = Awaited<ReturnType<typeof roundView>>
type Node = Pick<PeerNode, 'chainId' | 'journal' | 'bundles' | 'payloads' | 'environment'>

/**
 * A page's view of a round: its tasks, and stored payloads with a commitment on the chain. Null if there are none. The smallest come
 * first until the page is full, so that large ones do not displace others; `omitted` counts the rest.
 */
export async function readRound(
  node: Node,
  { commitments, proposals, views }: OnChain & { views: KeptViews<RoundView> },
  round: number,
) {
  const kept = keptPayloads(node, round)
  const isCommitted = await Promise.all(kept.map(payload => matches(commitments, round, payload)))
  const shown = upTo(
    MAX_PAGE_BYTES,
    kept.filter((_, index) => isCommitted[index]),
    ({ contentId }) => node.bundles.sizeOf(contentId),
  )
  const proposed = await proposals(round)
  if (shown.length === 0 && proposed.length === 0) return null
  const slots = shown.map(
    ({ kind, peerId, contentId }) => `${kind} ${peerId} ${contentId} ${node.bundles.sizeOf(contentId)}`,
  )
  const view = await views(round, [proposed, ...slots], async () => {
    const [rollouts, scoreSheets] = await Promise.all([
      open(node, 'rollouts', round, shown),
      open(node, 'scores', round, shown),
    ])
    scoreSheets.sort((a, b) => (a.payload.evaluatorKey < b.payload.evaluatorKey ? -1 : 1))
    return roundView(round, { proposed, rollouts, scoreSheets }, node.environment)
  })
  return { ...view, omitted: isCommitted.filter(Boolean).length - shown.length }
}

/**
 * A task's text and a solver's answers to it; null if this node lacks either, the chain has no commitment to them, or the solver may still commit
 * to others.
 */
export async function readGroup(
  node: Node,
  { commitments, proposals }: OnChain,
  { round, task, peerKey }: { round: number; task: TaskHash; peerKey: PeerKey },
): Promise<{ text: string; answers: { index: number; text: string }[] } | null> {
  if (!commitments.isFinal(round, 'rollouts')) return null
  const kept = keptPayloads(node, round).find(
    payload => payload.kind === 'rollouts' && peerKeyOf(payload.peerId) === peerKey,
  )
  if (kept === undefined || !(await matches(commitments, round, kept))) return null
  const [opened] = await open(node, 'rollouts', round, [kept])
  const group = opened?.payload.groups.find(({ taskRef }) => taskHash(taskRef) === task)
  const proposed = (await proposals(round)).find(proposal => proposal.peerKey === group?.taskRef.peerKey)
  const text = proposed?.texts[group?.taskRef.index ?? -1]
  if (group === undefined || text === undefined) return null
  const { format } = node.environment
  const answers = await mapYielding(group.rollouts, async rollout => ({
    index: rollout.index,
    text: await rolloutText(format, rollout),
  }))
  return { text, answers }
}

/** Facts of a round name kind and peer of each payload. */
function keptPayloads({ journal }: Node, round: number): KeptPayload[] {
  return Object.entries(journal.round(round)).flatMap(([key, contentId]) => {
    const [kind, peerId] = key.split(' ')
    const isPayload = announcementKinds.includes(kind as AnnouncementKind) && kind !== 'canary' && peerId !== undefined
    return isPayload ? [{ kind: kind as Kind, peerId, contentId: contentId as ContentId }] : []
  })
}

async function matches(commitments: Commitments, round: number, { kind, peerId, contentId }: KeptPayload) {
  const committed = await commitments.read(round, kind)
  return commitmentTo(committed, kind, { peerKey: peerKeyOf(peerId), contentId }) !== undefined
}

function upTo<T>(bytes: number, items: readonly T[], sizeOf: (item: T) => number): T[] {
  let left = bytes
  return items
    .toSorted((a, b) => sizeOf(a) - sizeOf(b))
    .filter(item => {
      left -= sizeOf(item)
      return left >= 0
    })
}

/** Opens payloads of a kind; any peer may commit to the content id of another's, or of another round. */
async function open<K extends Kind>(
  { bundles, payloads, chainId }: Node,
  kind: K,
  round: number,
  kept: readonly KeptPayload[],
): Promise<Opened<K>[]> {
  const found = await Promise.all(
    kept
      .filter(payload => payload.kind === kind)
      .map(async ({ peerId, contentId }) => {
        const bytes = await bundles.get(contentId)
        const opened = bytes && (await payloads.open(kind, bytes))
        if (opened === null) return []
        const { payload } = opened
        const author = 'evaluatorKey' in payload ? payload.evaluatorKey : payload.peerKey
        const isOwn = payload.chainId === chainId && payload.round === round && author === peerKeyOf(peerId)
        return isOwn ? [{ peerId, contentId, payload }] : []
      }),
  )
  return found.flat()
}

/** A bundle, and the peer that announced it. */
export type From<T> = { peerId: string; contentId: string; payload: T }

export type RoundPayloads = {
  proposed: readonly ShownProposal[]
  rollouts: From<RolloutBundle>[]
  /** Revealed ones only, in order of evaluator. */
  scoreSheets: From<ScoreSheet>[]
}

/** A page's view of a round: its tasks, answers and scores. */
async function roundView(
  round: number,
  { proposed, rollouts, scoreSheets }: RoundPayloads,
  { spec, format }: Pick<Environment, 'spec' | 'format'>,
) {
  const tasks = proposed.flatMap(({ peerId, peerKey, level, texts }) =>
    texts.map((text, index) => ({
      proposer: peerId,
      proposerName: peerName(peerId),
      index,
      level,
      text,
      taskHash: taskHash({ peerKey, index }),
    })),
  )
  const taskOf = new Map(tasks.map(task => [task.taskHash, task]))
  const answered = rollouts.flatMap(({ peerId, payload }) => {
    const scores = leafScores(scoreSheets, payload.peerKey)
    return shownGroups(payload.groups.slice(0, spec.tasksPerRound), taskOf).map(([hash, group]) => ({
      peerId,
      peerKey: payload.peerKey,
      hash,
      group,
      scores,
    }))
  })
  const groups = await mapYielding(answered, async ({ peerId, peerKey, hash, group, scores }) => ({
    peerId,
    peerKey,
    name: peerName(peerId),
    taskHash: hash,
    text: taskOf.get(hash)?.text ?? '',
    level: taskOf.get(hash)?.level ?? 0,
    rollouts: await mapYielding(group.rollouts, async rollout => {
      const width = tokenWidth(rollout) ?? 2
      const score = scores.get(rollout.index)
      return {
        index: rollout.index,
        text: await rolloutText(format, rollout),
        ended: rollout.ended,
        tokens: rollout.completionTokens.byteLength / width,
        components: score?.components ?? null,
        scoreMilli: score?.scoreMilli ?? null,
      }
    }),
  }))
  return { round, tasks, groups, evaluators: evaluatorsOf(scoreSheets) }
}

/**
 * Groups by task, the first of each: of tasks that follow from the beacon, and of proposed ones; of others only where no proposal is known. A bundle
 * may name what nobody proposed, and one task as often as it likes.
 *
 * @param groups - as many as count: one for each task that a solver owes.
 */
function shownGroups(groups: RolloutBundle['groups'], proposed: ReadonlyMap<TaskHash, unknown>) {
  const shown = new Map<TaskHash, RolloutBundle['groups'][number]>()
  for (const group of groups) {
    const hash = taskHash(group.taskRef)
    const isOfRound = group.taskRef.peerKey === ZERO_HASH || proposed.size === 0 || proposed.has(hash)
    if (isOfRound && !shown.has(hash)) shown.set(hash, group)
  }
  return [...shown]
}

/** A solver's answer. */
function rolloutText(
  format: PromptFormat,
  rollout: RolloutBundle['groups'][number]['rollouts'][number],
): Promise<string> {
  return packedText(format, rollout.completionTokens, tokenWidth(rollout) ?? 2, rollout.ended)
}

/** One row per evaluator, for any number of its score sheets. */
function evaluatorsOf(scoreSheets: readonly From<ScoreSheet>[]) {
  const byPeer = Map.groupBy(scoreSheets, ({ peerId }) => peerId)
  return [...byPeer].map(([peerId, parts]) => ({
    peerId,
    peerKey: parts[0]?.payload.evaluatorKey,
    name: peerName(peerId),
    contentIds: parts.map(({ contentId }) => contentId),
    votes: parts.flatMap(({ payload }) =>
      payload.peers.map(({ peerKey, scoreMilli, lacksBase = null }) => ({ peerKey, scoreMilli, lacksBase })),
    ),
  }))
}

/** Components of a peer's leaves as the first evaluator that scored them has revealed them, each from 0 to 1. */
function leafScores(scoreSheets: readonly From<ScoreSheet>[], peerKey: string) {
  const scored = scoreSheets.flatMap(({ payload }) =>
    payload.peers.filter(peer => peer.peerKey === peerKey && peer.leaves.length > 0),
  )
  return new Map(
    (scored[0]?.leaves ?? []).map(({ index, components, scoreMilli }) => [
      index,
      {
        scoreMilli,
        components: Object.fromEntries(Object.entries(components).map(([name, milli]) => [name, milli / 1000])),
      },
    ]),
  )
}
