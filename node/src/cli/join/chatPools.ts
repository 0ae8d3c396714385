/** Models of CodeZero's pools, smallest first; their tokenizer is the same, as an environment asks for. */
export const chatModels = [
  { name: 'Qwen/Qwen2.5-Coder-0.5B-Instruct', parameters: 494_032_768 },
  { name: 'Qwen/Qwen2.5-Coder-1.5B-Instruct', parameters: 1_543_714_304 },
] as const

/** Of the evaluator that CodeZero's environments have. */
export const JUDGE_PARAMETERS = 1_543_714_304
