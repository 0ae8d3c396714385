import type { Hex } from '#core/hex.ts'
import { turns } from '#core/turns.ts'
import type { Environment } from '#environments/environment.ts'
import type { PolicyClient } from '#rl/policyClient.ts'
import { proposalsOf } from './proposalsOf.ts'

/** Times that missing proposals are sampled again before a round goes with fewer. */
const MAX_ATTEMPTS = 8

export type SampledTasks = {
  /** Problem and tests of each task, as solvers read them. */
  texts: string[]
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
): Promise<SampledTasks> {
  const { format } = environment
  const proposals = proposalsOf(environment)
  const prompt = await proposals.prompt(level)
  /** By what they ask for. */
  const texts = new Map<string, string>()
  const refused: Record<string, number> = {}
  for (let attempt = 0; attempt < MAX_ATTEMPTS && texts.size < count; attempt++) {
    const completions = await policy.generate({
      prompts: [prompt],
      samplesPerPrompt: count,
      maxNewTokens: proposals.sampling.maxNewTokens,
      temperature: proposals.sampling.temperature,
      stopToken: format.stopToken,
      moreStopTokens: format.moreStopTokens,
      seed: seedOf(attempt),
    })
    for (const { tokens, ended } of completions) {
      if (texts.size === count) break
      await turns.give()
      const text = await format.completionText(tokens, ended)
      const key = ended ? await proposals.keyOf(text) : text
      const flaw = !ended ? 'too long' : texts.has(key) ? 'repeated' : null
      const fault = flaw ?? (await proposals.faultOf(text, level))
      if (fault === null) texts.set(key, text)
      else refused[fault] = (refused[fault] ?? 0) + 1
    }
  }
  return { texts: [...texts.values()], refused }
}
