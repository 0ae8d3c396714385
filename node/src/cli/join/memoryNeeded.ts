import type { BasePrecision } from '#model/lora/loraConfig.ts'
import type { RoleName } from '#roles/roleName.ts'
import type { NeededMemory } from './machineMemory.ts'

const GIB = 2 ** 30
/** Memory of a peer without its models: arrays of a step and of sampling, which are also on a GPU, the network, payloads. */
const BESIDE_MODELS = 2 * GIB

const FLOAT32 = 4

/** Bytes per parameter of a role's model; measured at 0.135 and 0.5 billion parameters. */
const perParameter = {
  /** Frozen weights twice in float32, for generation and for training. */
  adapter: 8,
  /** In float32 for its hash, and in 8 bits for generation and from the first step on for training. */
  integerAdapter: 6.2,
  /** Weights, gradients, two moments, and activations of all layers: 13 GB for half a billion. */
  weights: 26,
  /** Frozen in float32, to check sampling. */
  nothing: 4,
  /** A judge or a proposer in 8 bits. */
  integer: 1.3,
  /** A solver's base while it checks the answers of a score to appeal, in float32. */
  appealed: 4,
} as const

/** The same on a GPU: bases are hashed, and sampling is checked, on the CPU. From shapes, measured on no GPU. */
const perParameterOnGpu = {
  ...perParameter,
  integerAdapter: 2 * perParameter.integer,
  nothing: 0,
  appealed: 0,
} as const

/** The trained part of a peer's model. */
export type Trained = 'adapter' | 'integerAdapter' | 'weights' | 'nothing'

/** Rank of the adapter, 0 for all weights of a solver; and the precision of the frozen layers below it. */
export type AskedTraining = { lora?: number | undefined; loraBase?: BasePrecision | undefined }

/** The trained part of a role's model, by its options. Without a rank, a solver trains an adapter over float32, and a proposer nothing. */
export function trainedOf(role: RoleName, { lora, loraBase }: AskedTraining): Trained {
  if (role === 'solver' && lora === 0) return 'weights'
  if (role === 'solver') return loraBase === 'int8' ? 'integerAdapter' : 'adapter'
  if (role === 'proposer' && lora) return loraBase === 'float32' ? 'adapter' : 'integerAdapter'
  return 'nothing'
}

/** Settings of a solver by which it loads its base once more at times, unless they are 0. */
export type AskedDuties = { appeals: number; bets: number }

/** A peer's models; a judge on a server takes no memory here. */
export type Played = AskedDuties & {
  role: RoleName
  parameters: number
  judgeParameters: number
  trained: Trained
}

/** The memory that a peer of chat models takes, in the machine and on a GPU. */
export function memoryNeeded(played: Played): NeededMemory {
  if (played.role === 'gateway' || played.role === 'judge') return { bytes: 0, gpuBytes: 0 }
  const onGpu = modelBytes(played, perParameterOnGpu)
  return { bytes: BESIDE_MODELS + modelBytes(played, perParameter), gpuBytes: onGpu === 0 ? 0 : BESIDE_MODELS + onGpu }
}

function modelBytes(
  { role, parameters, judgeParameters, trained, appeals, bets }: Played,
  per: Readonly<Record<keyof typeof perParameter, number>>,
): number {
  if (role === 'proposer') return per[trained === 'nothing' ? 'integer' : trained] * parameters
  const besides = [0]
  if (role === 'solver' && appeals > 0) besides.push(per.appealed)
  // The policy is scored in a session of its own, in the precision of its base.
  if (role === 'solver' && bets > 0) besides.push(trained === 'integerAdapter' ? per.integer : FLOAT32)
  // One after the other.
  return (per[trained] + Math.max(...besides)) * parameters + per.integer * judgeParameters
}
