import { mapYielding } from '#core/threads/mapYielding.ts'
import type { AnswerScore, Environment, HeldOutTask, Judge } from '#environments/environment.ts'
import type { Level } from '#environments/level.ts'
import type { Completion } from '#model/generation/completion.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'

/** The same random numbers in every round and for every solver, so that canaries can be compared. */
export const CANARY_SEED = `0x${'ca'.repeat(32)}` as const

export type HeldOutAnswer = {
  task: HeldOutTask
  /** Place of the task in the held-out set. */
  at: number
  sample: number
  text: string
  completion: Completion
}

type HeldOutRules = Pick<Environment, 'spec' | 'format' | 'heldOutTasks'>

type HeldOutSample = HeldOutAnswer & { score: AnswerScore }

/** Samples a policy on the fixed held-out set and scores it like rollouts. None of it is trained on. */
export async function sampleHeldOut(
  policy: Pick<PolicyClient, 'generate'>,
  judge: Judge,
  environment: HeldOutRules,
  level: Level,
  tasks: number,
  samplesPerPrompt: number,
): Promise<HeldOutSample[]> {
  const answers = await answerHeldOut(policy, environment, level, tasks, samplesPerPrompt)
  const toScore = answers.map(({ task, text, completion: { ended } }) => ({ problem: task.problem, text, ended }))
  const scores = await judge.score(toScore)
  return answers.map((answer, i) => ({ ...answer, score: scores[i] as AnswerScore }))
}

/** Samples a policy on the fixed held-out set: `samplesPerPrompt` answers a task, in order of the tasks. */
export async function answerHeldOut(
  policy: Pick<PolicyClient, 'generate'>,
  { spec, format, heldOutTasks }: HeldOutRules,
  level: Level,
  tasks: number,
  samplesPerPrompt: number,
): Promise<HeldOutAnswer[]> {
  const set = await heldOutTasks(level, tasks)
  const prompts = await mapYielding(set, ({ problem }) => format.solverPrompt(problem))
  const { temperature, topP, maxNewTokens } = spec.solving
  const { stopToken, moreStopTokens } = format
  const stops = { stopToken, moreStopTokens }
  const request = { prompts, samplesPerPrompt, temperature, topP, maxNewTokens, ...stops, seed: CANARY_SEED }
  const completions = await policy.generate(request)
  const texts = await mapYielding(completions, ({ tokens, ended }) => format.completionText(tokens, ended))
  return completions.map((completion, i) => ({
    task: set[completion.prompt] as HeldOutTask,
    at: completion.prompt,
    sample: i % samplesPerPrompt,
    text: texts[i] ?? '',
    completion,
  }))
}
