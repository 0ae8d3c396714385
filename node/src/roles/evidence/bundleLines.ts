import type { PeerKey } from '#core/hashes.ts'
import { unpackSequence } from '#core/payloads/packedTokens.ts'
import type { RolloutBundle } from '#core/payloads/payloads.ts'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import type { PromptFormat } from '#environments/promptFormat.ts'

/** A rollout as other programs read it: text and token ids, with the log-probability of each. */
type BundleLine = {
  leaf: number
  /** Where its task stands: the proposer's key, and its index in the proposal. */
  task: { proposer: PeerKey; index: number }
  text: string
  /** Whether it ended by itself, inside the limit. */
  ended: boolean
  promptTokens: number[]
  completionTokens: number[]
  logprobs: number[]
  temperature: number
}

/** Every rollout of a bundle, in the order of its leaves. */
export async function* bundleLines(
  { groups }: RolloutBundle,
  format: Pick<PromptFormat, 'completionText'>,
): AsyncGenerator<BundleLine> {
  for (const { taskRef, rollouts } of groups) {
    for (const rollout of rollouts) {
      const { promptTokens, completionTokens, logprobs } = unpackSequence(rollout)
      await yieldToEventLoop()
      yield {
        leaf: rollout.index,
        task: { proposer: taskRef.peerKey, index: taskRef.index },
        text: await format.completionText(completionTokens, rollout.ended),
        ended: rollout.ended,
        promptTokens: [...promptTokens],
        completionTokens: [...completionTokens],
        logprobs: [...logprobs],
        temperature: rollout.sampling.temperature,
      }
    }
  }
}
