import type { RoleName } from '#roles/roleName.ts'

const GIB = 2 ** 30
/** Memory of a peer without its models: arrays of a step and of sampling, the network, payloads. */
const BESIDE_MODELS = 2 * GIB

/** Bytes per parameter of a role's model; measured at 0.135 and 0.5 billion parameters. */
const perParameter = {
  /** Frozen weights twice in float32, for generation and for training. */
  adapter: 8,
  /** In float32 for its hash, and in 8 bits for generation and from the first step on for training. */
  integerAdapter: 6.2,
  /** Weights, gradients, two moments, and activations of all layers: 13 GB for half a billion. */
  weights: 26,
  /** Frozen in float32, to check sampling. */
  frozen: 4,
  /** A judge or a proposer in 8 bits. */
  integer: 1.3,
} as const

/** Kinds of weights that a solver trains. */
export type Trained = 'adapter' | 'integerAdapter' | 'weights'

/** A peer's models; a judge on a server takes no memory here. */
export type Played = {
  role: RoleName
  parameters: number
  judgeParameters: number
  trained: Trained
  /** Whether a proposer learns nothing; true. */
  isFrozenProposer?: boolean
}

/** Bytes of memory that a peer of chat models takes. */
export function memoryNeeded({ role, parameters, judgeParameters, trained, isFrozenProposer = true }: Played): number {
  if (role === 'gateway' || role === 'judge') return 0
  if (role === 'proposer') return BESIDE_MODELS + perParameter[isFrozenProposer ? 'integer' : trained] * parameters
  const own = role === 'solver' ? perParameter[trained] : perParameter.frozen
  return BESIDE_MODELS + own * parameters + perParameter.integer * judgeParameters
}

export const gibibytes = (bytes: number) => `${(bytes / GIB).toFixed(1)} GiB`
