import { mapYielding } from '#core/threads/mapYielding.ts'
import type { Precision } from '#model/quantization/precision.ts'
import type { Generates, Proposals, TextWriter, WrittenText } from '../environment.ts'
import type { Sampling } from '../environmentSpec.ts'
import { type ChatPrompts, type CodeZeroFormat, proposalMessages } from './promptFormat.ts'
import type { ProposalForm } from './prompts.ts'

/** A request for proposals of one form. */
export type ProposalRequest = { readonly level: number; readonly form: ProposalForm; readonly samples: number }

/** A source of proposals. */
export type ProposalWriter = Pick<Proposals, 'model'> & {
  write(
    request: ProposalRequest,
    sampling: Sampling,
    seed: string,
    until: AbortSignal,
    model: Generates | null,
  ): Promise<WrittenText[]>
}

/** A local model with its own tokenizer, which need not be the environment's: a proposer publishes only text. */
export function modelWriter(
  folder: string,
  precision: Precision,
  format: Pick<CodeZeroFormat, 'proposalPrompt' | 'stopToken' | 'moreStopTokens' | 'completionText'>,
): ProposalWriter {
  return {
    model: { folder, precision },
    async write({ level, form, samples }, { temperature, maxNewTokens }, seed, _until, model) {
      if (model === null) throw new RangeError("the proposer's model is not open")
      const prompt = await format.proposalPrompt(level, form)
      const completions = await model.generate({
        prompts: [prompt],
        samplesPerPrompt: samples,
        ...{ maxNewTokens, temperature, seed },
        stopToken: format.stopToken,
        moreStopTokens: format.moreStopTokens,
      })
      return mapYielding(completions, async ({ tokens, logprobs, ended }) => ({
        text: await format.completionText(tokens, ended),
        ended,
        sampled: { prompt, tokens, logprobs, temperature },
      }))
    },
  }
}

/** A model on a server, which applies its own template. */
export function servedWriter(server: TextWriter, prompts: Pick<ChatPrompts, 'proposer'>): ProposalWriter {
  return {
    model: null,
    write: ({ level, form, samples }, sampling, seed, until) =>
      server.write(proposalMessages(prompts, level, form), { count: samples, ...sampling, seed, until }),
  }
}
