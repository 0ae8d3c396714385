/** Models of CodeZero's pools, smallest first; their tokenizer is the same, as an environment asks for. */
export const chatModels = [
  { name: 'Qwen/Qwen2.5-Coder-0.5B-Instruct', parameters: 494_032_768 },
  { name: 'Qwen/Qwen2.5-Coder-1.5B-Instruct', parameters: 1_543_714_304 },
] as const

/** Models that judge in CodeZero's swarms; nobody trains them. */
export const frozenModels = [{ name: 'Qwen/Qwen3-4B', parameters: 4_022_468_096 }] as const

/** Of a judge whose size is not known: that of CodeZero's default. */
export const JUDGE_PARAMETERS = 1_543_714_304
