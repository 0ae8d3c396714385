import type { RolloutBundle, RolloutGroup } from '#core/bodies.ts'
import { type Hex, ZERO_HASH } from '#core/hex.ts'
import { mapYielding } from '#core/mapYielding.ts'
import { type UnpackedSequence, unpackSequence } from '#core/packedTokens.ts'
import { taskHash } from '#core/taskProposal.ts'
import { yieldToEventLoop } from '#core/yieldToEventLoop.ts'
import type { Environment } from '#environments/environment.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import type { PromptFormat } from '#environments/promptFormat.ts'
import { type AdmittedTask, areTokens, type TaskPlace } from './admitTasks.ts'
import { randomOrder } from './drawIndices.ts'
import { roundSeed } from './roundSeed.ts'

export type CheckedRollout = UnpackedSequence & { index: number; text: string; ended: boolean }
export type CheckedGroup = { task: AdmittedTask; rollouts: CheckedRollout[] }

export type RoundRules = {
  spec: EnvironmentSpec
  format: PromptFormat
  /** Those of tasks that follow from the beacon, then the proposed ones, by proposer and index. */
  places: readonly TaskPlace[]
  /** Of the round before: from it follow the tasks and the seed of each peer. */
  beacon: Hex
}

/**
 * The rules of a round: its tasks are those that follow from the beacon, then the proposed ones. Both are the same for everybody, since
 * the proposals are what the chain had at the end of the round before.
 *
 * @param proposed - by proposer and index.
 */
export async function roundRules(
  { spec, format, roundTasks }: Pick<Environment, 'spec' | 'format' | 'roundTasks'>,
  { chainId, round, beacon }: { chainId: number; round: number; beacon: Hex },
  proposed: readonly TaskPlace[],
): Promise<RoundRules> {
  const seed = roundSeed('tasks', chainId, round, beacon, ZERO_HASH)
  const counting = proposed.filter(place => place !== null).length
  const drawn = (await roundTasks(seed, counting)).map((task, index) => {
    const ref = { peerKey: ZERO_HASH, index }
    return { ref, taskHash: taskHash(ref), ...task }
  })
  return { spec, format, beacon, places: [...drawn, ...proposed] }
}

/**
 * The tasks that a solver has to answer in a round: places are drawn, not chosen, so that easy tasks cannot be picked.
 *
 * A place that holds no task that counts passes its draw to the next one of the same random order, so that it is worth the same to all
 * other places, and leaves the other draws as they are. Where none is left, fewer tasks are owed.
 */
export function drawTasks(
  chainId: number,
  round: number,
  peerKey: Hex,
  { spec, places, beacon }: RoundRules,
): AdmittedTask[] {
  const drawn: TaskPlace[] = []
  for (const at of randomOrder(places.length, roundSeed('draw', chainId, round, beacon, peerKey))) {
    const task = places[at] ?? null
    const gap = drawn.indexOf(null)
    if (drawn.length < spec.tasksPerRound) drawn.push(task)
    else if (gap < 0) break
    else if (task !== null) drawn[gap] = task
  }
  return drawn.filter(task => task !== null)
}

/**
 * The groups of a peer's bundle that follow the public rule; the others count nothing and are never trained on.
 *
 * A group stands if it answers the task that was drawn for its place (so it is neither held out nor made up), from that
 * task's own prompt, with the sampling and the seed that the rule gives, and the owed number of times.
 */
export async function checkRollouts(bundle: RolloutBundle, rules: RoundRules): Promise<CheckedGroup[]> {
  const owed = drawTasks(bundle.chainId, bundle.round, bundle.peerKey, rules)
  const seed = roundSeed('rollout', bundle.chainId, bundle.round, rules.beacon, bundle.peerKey)
  const read = await mapYielding(owed, async (task, at) => {
    const group = bundle.groups[at]
    const rollouts = group && stands(group, task, seed, rules) ? await readGroup(group, at, task, rules) : null
    return rollouts === null ? [] : [{ task, rollouts }]
  })
  return read.flat()
}

function stands(group: RolloutGroup, task: AdmittedTask, seed: Hex, { spec }: RoundRules): boolean {
  const { taskRef, rollouts } = group
  const sameTask = taskRef.peerKey === task.ref.peerKey && taskRef.index === task.ref.index
  return (
    sameTask &&
    rollouts.length === spec.groupSize &&
    rollouts.every(
      rollout =>
        rollout.seed === seed &&
        rollout.sampling.temperature === spec.solving.temperature &&
        rollout.sampling.maxNewTokens === spec.solving.maxNewTokens,
    )
  )
}

async function readGroup(
  group: RolloutGroup,
  at: number,
  task: AdmittedTask,
  rules: RoundRules,
): Promise<CheckedRollout[] | null> {
  const { spec, format } = rules
  const prompt = await format.solverPrompt(task.problem)
  const stopTokens = [format.stopToken, ...format.moreStopTokens]
  const rollouts = await mapYielding(group.rollouts, rollout => ({
    ...unpackSequence(rollout),
    index: rollout.index,
    ended: rollout.ended,
  }))
  await yieldToEventLoop()
  const sound = rollouts.every(
    ({ index, promptTokens, completionTokens, ended }, sample) =>
      index === at * spec.groupSize + sample &&
      sameTokens(promptTokens, prompt) &&
      completionTokens.length <= spec.solving.maxNewTokens &&
      ended === stopTokens.includes(completionTokens.at(-1) ?? -1) &&
      areTokens(completionTokens, format) &&
      !completionTokens.subarray(0, -1).some(token => stopTokens.includes(token)),
  )
  if (!sound) return null
  return mapYielding(rollouts, async rollout => ({
    ...rollout,
    text: await format.completionText(rollout.completionTokens, rollout.ended),
  }))
}

function sameTokens(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((token, at) => token === b[at])
}
