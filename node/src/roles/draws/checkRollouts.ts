import type { Beacon, Seed } from '#core/hashes.ts'
import { type UnpackedSequence, unpackSequence } from '#core/payloads/packedTokens.ts'
import type { RolloutBundle, RolloutGroup } from '#core/payloads/payloads.ts'
import { mapYielding } from '#core/threads/mapYielding.ts'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import type { PromptFormat } from '#environments/promptFormat.ts'
import { beaconTasks, type RuledBy, type StageSource } from './beaconTasks.ts'
import { type AdmittedTask, areTokens, type DrawRules, drawTasks, type TaskPlace } from './drawTasks.ts'
import { roundSeed } from './roundSeed.ts'

export type CheckedRollout = UnpackedSequence & { index: number; text: string; ended: boolean }
export type CheckedGroup = { task: AdmittedTask; rollouts: CheckedRollout[] }

export type RoundRules = DrawRules & { spec: EnvironmentSpec; format: PromptFormat }

/**
 * The rules of a round: its tasks are those that follow from the beacon, then the proposed ones. Both are the same for everybody: the proposals are
 * those on the chain at the end of the round before.
 *
 * @param proposed - by proposer and index.
 * @param source - inputs of later stages of an episode; required if the environment has stages.
 */
export async function roundRules(
  environment: RuledBy,
  at: { chainId: number; round: number; beacon: Beacon },
  proposed: readonly TaskPlace[],
  source?: StageSource,
): Promise<RoundRules> {
  const { spec, format } = environment
  const counting = proposed.filter(place => place !== null).length
  const drawn = await beaconTasks(environment, at, counting, source)
  return { spec, format, beacon: at.beacon, places: [...drawn, ...proposed] }
}

/**
 * The groups of a peer's bundle that follow the public rule; others do not count and are never trained on. A group is valid if it answers
 * the task drawn for its place (so it is neither held out nor invented), from that task's prompt, with the sampling and seed of the rule,
 * and the owed number of times. Groups of tasks whose prompt is unknown here are left out.
 */
export async function checkRollouts(bundle: RolloutBundle, rules: RoundRules): Promise<CheckedGroup[]> {
  const owed = drawTasks(bundle.chainId, bundle.round, bundle.peerKey, rules)
  const seed = roundSeed('rollout', bundle.chainId, bundle.round, rules.beacon, bundle.peerKey)
  const read = await mapYielding(owed, async (task, at) => {
    const group = bundle.groups[at]
    const isKnown = task.isUnknown !== true
    const rollouts =
      isKnown && group && stands(group, task, seed, rules) ? await readGroup(group, at, task, rules) : null
    return rollouts === null ? [] : [{ task, rollouts }]
  })
  return read.flat()
}

function stands(group: RolloutGroup, task: AdmittedTask, seed: Seed, { spec }: RoundRules): boolean {
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
