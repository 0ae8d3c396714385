import type { Hex } from '#core/hex.ts'
import { yieldToEventLoop } from '#core/yieldToEventLoop.ts'
import type { Environment } from '#environments/environment.ts'
import type { PolicyClient } from '#rl/policyClient.ts'
import { proposalsOf } from './proposalsOf.ts'
import type { TaskList } from './taskList.ts'

/** Times that missing proposals are sampled again before a round goes with fewer. */
const MAX_ATTEMPTS = 8

/**
 * Samples proposals at a level until a list has enough of them.
 *
 * @param seedOf - seed of an attempt; each attempt draws new numbers.
 */
export async function propose(
  policy: Pick<PolicyClient, 'generate'>,
  environment: Environment,
  level: number,
  list: TaskList,
  seedOf: (attempt: number) => Hex,
): Promise<void> {
  const proposals = proposalsOf(environment)
  const { format } = proposals.model
  const requests = await proposals.requests(level, list.wanted())
  for (let attempt = 0; attempt < MAX_ATTEMPTS && list.wanted() > 0; attempt++) {
    const before = list.texts.length
    for (const { prompt, samples } of requests) {
      const completions = await policy.generate({
        prompts: [prompt],
        samplesPerPrompt: samples,
        maxNewTokens: proposals.sampling.maxNewTokens,
        temperature: proposals.sampling.temperature,
        stopToken: format.stopToken,
        moreStopTokens: format.moreStopTokens,
        seed: seedOf(attempt),
      })
      for (const { tokens, ended } of completions) {
        if (list.wanted() === 0) break
        await yieldToEventLoop()
        const text = await format.completionText(tokens, ended)
        await list.add(text, ended ? await proposals.faultOf(text, level) : 'too long')
      }
    }
    // A level has an end: where nothing new came, what was proposed longest ago is asked for again.
    if (attempt > 0 && list.texts.length === before && list.setAside() >= list.wanted()) return
  }
}
