import type { Rollout, RoundPayloads } from '#sources/gateway.ts'

/** All answers of one solver to one problem. */
export interface Attempt {
  peerKey: string
  peerId: string
  name: string
  rollouts: Rollout[]
}

/** A problem of a round, and who tried it. */
export interface Problem {
  taskHash: string
  text: string
  level: number
  /** Name of the peer that proposed it, as far as it is known here. */
  proposer: string | null
  attempts: Attempt[]
}

/** Problems in the order in which they were proposed, then those known from their solutions only; each with its answers by solver. */
export function problems(payloads: RoundPayloads): Problem[] {
  const found = new Map<string, Problem>()
  for (const { taskHash, text, level, proposerName } of payloads.tasks)
    found.set(taskHash, { taskHash, text, level, proposer: proposerName, attempts: [] })
  for (const { taskHash, text, level, peerKey, peerId, name, rollouts } of payloads.groups) {
    const problem = found.get(taskHash) ?? { taskHash, text, level, proposer: null, attempts: [] }
    problem.attempts.push({ peerKey, peerId, name, rollouts })
    found.set(taskHash, problem)
  }
  return [...found.values()]
}

/** The problem asked for, or else the most tried one, so that the page shows something at first. */
export function chooseProblem(all: Problem[], taskHash: string): Problem | undefined {
  const asked = all.find(problem => problem.taskHash === taskHash)
  return asked ?? all.toSorted((a, b) => b.attempts.length - a.attempts.length)[0]
}

/** An answer and its place among its solver's answers to the same problem, from 1. */
export interface NumberedRollout extends Rollout {
  number: number
}

/** Best first, unscored ones last, as they were tried among equals. */
export function bestFirst(rollouts: Rollout[]): NumberedRollout[] {
  return rollouts
    .toSorted((a, b) => a.index - b.index)
    .map((rollout, place) => ({ ...rollout, number: place + 1 }))
    .sort((a, b) => (b.scoreMilli ?? -1) - (a.scoreMilli ?? -1) || a.number - b.number)
}
