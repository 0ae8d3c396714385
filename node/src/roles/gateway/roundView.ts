import { type RolloutBundle, type ScoreSheet, tokenWidth } from '#core/payloads/payloads.ts'
import { taskHash } from '#core/payloads/taskProposal.ts'
import { peerName } from '#core/peers/peerName.ts'
import { mapYielding } from '#core/threads/mapYielding.ts'
import type { PromptFormat } from '#environments/promptFormat.ts'
import { packedText } from '../draws/admitTasks.ts'
import type { ShownProposal } from './proposals.ts'

/** A bundle, and the peer that announced it. */
export type From<T> = { peerId: string; contentId: string; payload: T }

export type RoundPayloads = {
  proposed: readonly ShownProposal[]
  rollouts: From<RolloutBundle>[]
  /** Revealed ones only, in order of evaluator. */
  scoreSheets: From<ScoreSheet>[]
}

/** A page's view of a round: its tasks, answers and scores. */
export async function roundView(
  round: number,
  { proposed, rollouts, scoreSheets }: RoundPayloads,
  format: PromptFormat,
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
    return payload.groups.map(group => ({
      peerId,
      peerKey: payload.peerKey,
      hash: taskHash(group.taskRef),
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

/** A solver's answer. */
export function rolloutText(
  format: PromptFormat,
  rollout: RolloutBundle['groups'][number]['rollouts'][number],
): Promise<string> {
  return packedText(format, rollout.completionTokens, tokenWidth(rollout) ?? 2, rollout.ended)
}

/** One row an evaluator, whatever number of score sheets its votes take. */
function evaluatorsOf(scoreSheets: readonly From<ScoreSheet>[]) {
  const byPeer = Map.groupBy(scoreSheets, ({ peerId }) => peerId)
  return [...byPeer].map(([peerId, parts]) => ({
    peerId,
    peerKey: parts[0]?.payload.evaluatorKey,
    name: peerName(peerId),
    contentIds: parts.map(({ contentId }) => contentId),
    votes: parts.flatMap(({ payload }) => payload.peers.map(({ peerKey, scoreMilli }) => ({ peerKey, scoreMilli }))),
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
