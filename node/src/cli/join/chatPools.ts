import type { BasePrecision } from '#model/lora/loraConfig.ts'
import type { RoleName } from '#roles/roleName.ts'
import type { Trained } from './memoryNeeded.ts'

/** Published models of CodeZero's swarms whose sizes are known before they are downloaded. */
const coder05 = { name: 'Qwen/Qwen2.5-Coder-0.5B-Instruct', parameters: 494_032_768 } as const
const coder15 = { name: 'Qwen/Qwen2.5-Coder-1.5B-Instruct', parameters: 1_543_714_304 } as const
const qwen4 = { name: 'Qwen/Qwen3-4B', parameters: 4_022_468_096 } as const
export const knownModels = [coder05, coder15, qwen4] as const

/** Assumed size of an unknown judge: that of CodeZero's default. */
export const JUDGE_PARAMETERS = coder15.parameters

export type PoolSettings = Readonly<{
  model?: string
  proposer?: string
  lora?: number
  'lora-base'?: BasePrecision
  appeals?: 'off'
  bets?: 'off'
}>

/** A choice of models for a peer of chat models. */
export interface Pool {
  /** Options of `start`. */
  readonly settings: PoolSettings
  /** Parameters of the model that the role trains, checks sampling with, or proposes with. */
  readonly parameters: number
}

const withoutDuties = { appeals: 'off', bets: 'off' } as const
const reader: Pool = { settings: { model: coder05.name }, parameters: coder05.parameters }
const proposerOf = ({ name, parameters }: (typeof knownModels)[number]): Pool => ({
  settings: { model: coder05.name, proposer: name },
  parameters,
})

const aboutTrained: Readonly<Record<Trained, string>> = {
  adapter: 'an adapter takes a fraction of the memory of all weights',
  integerAdapter: 'over 8 bits it learns and earns nothing',
  weights: 'trains all weights',
  nothing: 'the base that answers are checked against; the environment names the judge',
}

/** Describes a role by its model and by its trained part. */
export function aboutModel(role: RoleName, trained: Trained): string {
  if (role !== 'proposer') return aboutTrained[trained]
  return trained === 'nothing' ? 'proposes in 8 bits' : 'proposes, and trains an adapter'
}

/**
 * Pools by role, best first; roles without a model have none. Only sampling over a float32 base is paid (ADR 0073), so 8-bit pools come
 * last, for machines that could not solve otherwise. Before them, appeals and bets are left out, which load the base once more. Solvers train over the base that evaluators hold: others cannot be checked (ADR 0193).
 */
export const chatPools: Readonly<Record<RoleName, readonly Pool[]>> = {
  solver: [
    { settings: { model: coder05.name, lora: 16 }, parameters: coder05.parameters },
    { settings: { model: coder05.name, lora: 16, ...withoutDuties }, parameters: coder05.parameters },
    {
      settings: { model: coder05.name, lora: 16, 'lora-base': 'int8', ...withoutDuties },
      parameters: coder05.parameters,
    },
  ],
  evaluator: [reader],
  auditor: [reader],
  proposer: [proposerOf(qwen4), proposerOf(coder15), proposerOf(coder05)],
  gateway: [],
  judge: [],
}
