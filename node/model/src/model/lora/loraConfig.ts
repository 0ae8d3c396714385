import { z } from 'zod'
import { ModelFileError } from '../modelErrors.ts'

/** The shape of a low-rank adapter, in PEFT's terms. */
export interface LoraConfig {
  /** Rank of every update; `r`. */
  readonly rank: number
  /** Updates are scaled by alpha / rank. */
  readonly alpha: number
  /** Linear modules that have an update, by the end of their names: `q_proj`, `mlp.down_proj`. */
  readonly targets: readonly string[]
  /** Scale by alpha / sqrt(rank) instead, which keeps high ranks learning (rsLoRA, arXiv:2312.03732). */
  readonly rankStabilized: boolean
}

/** How products with the frozen weights under an adapter are computed: in float32, or as sums of 8-bit integers. */
export const basePrecisions = ['float32', 'int8'] as const
export type BasePrecision = (typeof basePrecisions)[number]

/** How a step computes them: also in float16, which each machine may choose, since its results equal those of float32 except for rounding. */
export const stepPrecisions = [...basePrecisions, 'float16'] as const
export type StepPrecision = (typeof stepPrecisions)[number]

/** The linear modules of every layer: what PEFT means by `all-linear`. */
export const allLinear = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'] as const

/** Scale of the product of an adapter's factors. */
export function loraScaling({ rank, alpha, rankStabilized }: LoraConfig): number {
  return alpha / (rankStabilized ? Math.sqrt(rank) : rank)
}

const isAbsent = (value: unknown) =>
  value === null || value === false || (typeof value === 'object' && Object.keys(value).length === 0)

const absent = (name: string) => z.unknown().refine(isAbsent, `${name} is not supported`).optional()

/** Initialisations that do not change the model's weights. PEFT's others (`pissa`, `olora` …) change them when an adapter is loaded. */
const beginnings = z.union(
  [z.boolean(), z.null(), z.enum(['gaussian', 'orthogonal', 'eva', 'mica'])],
  'changes the weights of the model too, which is not supported; convert the adapter to a plain one with PEFT',
)

const moduleName = z.string().regex(/^[A-Za-z0-9_.]{1,128}$/, 'is not the name of a module')

const peftConfig = z.object({
  peft_type: z.literal('LORA', 'only LORA is supported'),
  r: z.number().int().min(1).max(4_096),
  lora_alpha: z.number().positive().max(1e6),
  target_modules: z.union(
    [z.literal('all-linear'), z.array(moduleName).min(1).max(256)],
    'must be "all-linear" or names of modules',
  ),
  use_rslora: z.boolean().default(false),
  bias: z.literal('none', 'trained biases are not supported').default('none'),
  fan_in_fan_out: z.literal(false, 'transposed weights are not supported').default(false),
  init_lora_weights: beginnings.optional(),
  use_dora: absent('DoRA'),
  use_qalora: absent('QALoRA'),
  use_bdlora: absent('BD-LoRA'),
  arrow_config: absent('Arrow'),
  kasa_config: absent('KaSA'),
  monteclora_config: absent('MonteCLoRA'),
  lora_bias: absent('a bias in the update'),
  modules_to_save: absent('a module trained whole'),
  rank_pattern: absent('a rank for each module'),
  alpha_pattern: absent('an alpha for each module'),
  layers_to_transform: absent('a choice of layers'),
  exclude_modules: absent('a choice by exclusion'),
  trainable_token_indices: absent('trained tokens'),
  target_parameters: absent('an update of a bare parameter'),
  layer_replication: absent('replicated layers'),
  alora_invocation_tokens: absent('activated LoRA'),
})

/**
 * Reads the parsed content of PEFT's `adapter_config.json`.
 *
 * @param source - what to call the file in an error.
 * @throws {ModelFileError} naming the field that is missing, out of bounds, or asks for more than plain LoRA.
 */
export function parseLoraConfig(content: unknown, source = 'adapter_config.json'): LoraConfig {
  const parsed = peftConfig.safeParse(content)
  if (parsed.success) {
    const { r, lora_alpha, target_modules, use_rslora } = parsed.data
    const targets = target_modules === 'all-linear' ? [...allLinear] : target_modules
    return { rank: r, alpha: lora_alpha, targets, rankStabilized: use_rslora }
  }
  const issue = parsed.error.issues[0]
  throw new ModelFileError(source, issue?.path.join('.') || 'content', issue?.message ?? 'is not valid', {
    hint: 'Use an adapter that PEFT saved, of type LORA, without options beyond rank, alpha, targets and rslora.',
    cause: parsed.error,
  })
}

/** The content of an `adapter_config.json` with which PEFT loads the adapter. */
export function formatLoraConfig(config: LoraConfig, baseModel: string | null = null): Record<string, unknown> {
  return {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: baseModel,
    inference_mode: true,
    r: config.rank,
    lora_alpha: config.alpha,
    lora_dropout: 0,
    target_modules: config.targets,
    use_rslora: config.rankStabilized,
    bias: 'none',
    fan_in_fan_out: false,
    init_lora_weights: true,
    modules_to_save: null,
  }
}
