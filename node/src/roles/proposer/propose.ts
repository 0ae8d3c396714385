import type { Task } from '#core/bodies.ts'
import type { Hex } from '#core/hex.ts'
import { packLogprobs, packTokens } from '#core/packedTokens.ts'
import { turns } from '#core/turns.ts'
import type { Environment } from '#environments/environment.ts'
import type { Completion } from '#model/generate.ts'
import type { PolicyClient } from '#rl/policyClient.ts'
import { proposalsOf } from './proposalsOf.ts'

/** Times that missing proposals are sampled again before a round goes with fewer. */
const MAX_ATTEMPTS = 8

export type Proposals = {
  tasks: Task[]
  /** Samples that were no proposal, by reason. */
  refused: Record<string, number>
}

/**
 * Samples proposals at a level until there are enough that may be trained on, each asking for something else.
 *
 * @param seedOf - seed of an attempt; each attempt draws new numbers.
 */
export async function propose(
  policy: PolicyClient,
  environment: Environment,
  level: number,
  count: number,
  seedOf: (attempt: number) => Hex,
): Promise<Proposals> {
  const { format } = environment
  const proposals = proposalsOf(environment)
  const prompt = await proposals.prompt(level)
  const tasks: Task[] = []
  const refused: Record<string, number> = {}
  const seen = new Set<string>()
  for (let attempt = 0; attempt < MAX_ATTEMPTS && tasks.length < count; attempt++) {
    const seed = seedOf(attempt)
    const completions = await policy.generate({
      prompts: [prompt],
      samplesPerPrompt: count,
      maxNewTokens: proposals.sampling.maxNewTokens,
      temperature: proposals.sampling.temperature,
      stopToken: format.stopToken,
      moreStopTokens: format.moreStopTokens,
      seed,
    })
    for (const completion of completions) {
      if (tasks.length === count) break
      await turns.give()
      const text = await format.completionText(completion.tokens, completion.ended)
      const key = completion.ended ? await proposals.keyOf(text) : text
      const flaw = !completion.ended ? 'too long' : seen.has(key) ? 'repeated' : null
      const fault = flaw ?? (await proposals.faultOf(text, level))
      if (fault !== null) {
        refused[fault] = (refused[fault] ?? 0) + 1
        continue
      }
      seen.add(key)
      tasks.push(taskOf(tasks.length, level, text, seed, prompt, completion, format.tokenBytes))
    }
  }
  return { tasks, refused }
}

function taskOf(
  index: number,
  level: number,
  text: string,
  seed: Hex,
  prompt: Int32Array,
  completion: Completion,
  tokenBytes: 2 | 4,
): Task {
  return {
    index,
    level,
    promptTokens: packTokens(prompt, tokenBytes),
    completionTokens: packTokens(completion.tokens, tokenBytes),
    logprobs: packLogprobs(completion.logprobs),
    seed,
    text,
  }
}
