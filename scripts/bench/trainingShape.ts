import type { DecoderConfig } from '../../node/model/src/model/decoder/decoderConfig.ts'

export interface StepShape {
  readonly sequences: number
  readonly prompt: number
  readonly completion: number
  readonly rank: number
}

/** The step that is measured: a group of 4 completions of 256 tokens after a prompt of 128, LoRA of rank 16 on all layers. */
export const stepShape: StepShape = { sequences: 4, prompt: 128, completion: 256, rank: 16 }

/**
 * Operations of the matrix products that a GRPO step over a frozen base needs: forwards, and backwards for activations and
 * factors. What is computed a second time to save memory is not counted, nor is what the last layer leaves out (positions
 * that are not scored).
 *
 * @param prompts - how often the prompt is computed: once for the group, or with each completion.
 */
export function loraStepOperations(config: DecoderConfig, prompts: number, shape = stepShape): number {
  const { sequences, prompt, completion, rank } = shape
  const { hiddenSize: hidden, intermediateSize: inner, heads, kvHeads, headDim } = config
  const tokens = prompts * prompt + sequences * completion
  const scored = sequences * completion
  const [queries, keys] = [heads * headDim, kvHeads * headDim]
  /** Forwards and back to the input, and three times the adapter's thin products. */
  const linear = (rows: number, out: number, from: number) => 4 * rows * out * from + 6 * rows * rank * (out + from)
  const project = linear(tokens, queries, hidden) + 2 * linear(tokens, keys, hidden)
  const rest = (rows: number) =>
    linear(rows, hidden, queries) + 2 * linear(rows, inner, hidden) + linear(rows, hidden, inner)
  const attention = 12 * (prompts * prompt ** 2 + sequences * completion * (prompt + completion)) * queries
  const layers = config.layers * (project + attention) + (config.layers - 1) * rest(tokens) + rest(scored)
  return layers + 4 * scored * config.vocabSize * hidden
}
