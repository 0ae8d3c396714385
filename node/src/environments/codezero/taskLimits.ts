import { MAX_SEQUENCE_TOKENS } from '#core/payloads/payloads.ts'
import type { TaskLimits } from '../environment.ts'
import type { CodeZeroSpec } from './environmentSpec.ts'

/** The starter models have 256 positions, and answer with 96 tokens. The curriculum's longest prompts, to repair a function, have 110. */
const starter: TaskLimits = { promptTokens: 160, positions: 256 }

/** Tokens of a prompt and its answer. A judge with 2,048 positions has 512 left for its own messages, and where its tokenizer needs more tokens. */
const TOKENS = 1_536
/** A prompt has as many in any case, however long answers may be: the longest text with a broken function has about 1,000. */
const LEAST_PROMPT = 1_024

/** How long the tasks of a specification may be. */
export function taskLimits({ prompts, solving }: Pick<CodeZeroSpec, 'prompts' | 'solving'>): TaskLimits {
  if (prompts.format === 'starter') return starter
  const { maxNewTokens } = solving
  const promptTokens = Math.min(Math.max(TOKENS - maxNewTokens, LEAST_PROMPT), MAX_SEQUENCE_TOKENS - maxNewTokens)
  return { promptTokens, positions: promptTokens + maxNewTokens }
}
