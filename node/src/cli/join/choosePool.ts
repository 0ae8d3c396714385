import type { RoleName } from '#roles/roleName.ts'
import { aboutModel, chatPools, type Pool, type PoolSettings } from './chatPools.ts'
import { gibibytes, type MachineMemory, type NeededMemory, shortMemory } from './machineMemory.ts'
import { type AskedDuties, memoryNeeded, trainedOf } from './memoryNeeded.ts'

/** A machine's memory for models, and the parameters of the judge that its peer would load; 0 for none. */
export interface ModelMemory extends MachineMemory {
  readonly judgeParameters: number
}

/** The operator's options that a pool leaves alone. */
export type SaidOfPool = { readonly [Setting in keyof ModelSettings]: ModelSettings[Setting] | undefined } & {
  readonly [Duty in keyof AskedDuties]?: AskedDuties[Duty] | undefined
} & { readonly dataset?: unknown }
type ModelSettings = Omit<PoolSettings, keyof AskedDuties>

/** A pool with the settings that the operator left open. */
type OpenPool = Pool & NeededMemory & { readonly about: string }

/** The best pool of a role that a machine has memory for; undefined if it has too little. */
export function choosePool(role: RoleName, memory: ModelMemory, said: SaidOfPool = {}): OpenPool | undefined {
  return poolsOf(role, memory, said).find(pool => shortMemory(pool, memory) === null)
}

/** The pool that needs the least memory. */
export function leastPool(role: RoleName, memory: ModelMemory, said: SaidOfPool = {}): OpenPool | undefined {
  return poolsOf(role, memory, said).at(-1)
}

function poolsOf(role: RoleName, { judgeParameters }: ModelMemory, said: SaidOfPool): OpenPool[] {
  return chatPools[role].map(({ parameters, ...pool }) => {
    const settings = unsaid(pool.settings, said)
    const { lora = settings.lora, 'lora-base': loraBase = settings['lora-base'] } = said
    const trained = trainedOf(role, { lora, loraBase })
    // Both are on by default.
    const onOrOff = (duty: keyof AskedDuties) => said[duty] ?? (settings[duty] === 'off' ? 0 : 1)
    const duties = { appeals: onOrOff('appeals'), bets: onOrOff('bets') }
    const needed = memoryNeeded({ role, parameters, judgeParameters, trained, ...duties })
    return { settings, parameters, ...needed, about: aboutModel(role, trained) }
  })
}

function unsaid(settings: PoolSettings, said: SaidOfPool): PoolSettings {
  const isSaid = (setting: string) =>
    said[setting as keyof PoolSettings] !== undefined ||
    // Another adapter has its own base; tasks of a dataset need no model.
    (setting === 'lora-base' && said.lora !== undefined) ||
    (setting === 'proposer' && said.dataset !== undefined)
  return Object.fromEntries(Object.entries(settings).filter(([setting]) => !isSaid(setting)))
}

/** Better models than its GPU holds run on a machine's CPU; undefined if the GPU holds the best ones, or there is none to compare. */
export function poolOnCpu(role: RoleName, memory: ModelMemory, said: SaidOfPool = {}): OpenPool | undefined {
  const best = choosePool(role, { ...memory, gpuBytes: null }, said)
  const onGpu = choosePool(role, memory, said)
  return best && shortMemory(best, memory) === 'gpu' && !(onGpu && isSameModel(best, onGpu)) ? best : undefined
}

/** Whether two pools differ in appeals and bets at most. */
function isSameModel({ settings: one }: Pool, { settings: other }: Pool): boolean {
  return (['model', 'proposer', 'lora', 'lora-base'] as const).every(name => one[name] === other[name])
}

/**
 * Describes the models that each role would use here: `solver --model … (7.5 GiB)`, or the missing memory.
 *
 * @param mayUseCpu - whether `join` may choose the CPU instead of a small GPU.
 */
export function describePools(memory: ModelMemory, mayUseCpu = false): string[] {
  return (Object.keys(chatPools) as RoleName[])
    .filter(role => chatPools[role].length > 0)
    .map(role => {
      const onCpu = mayUseCpu ? poolOnCpu(role, memory) : undefined
      if (onCpu) return `${role} ${optionsOf(onCpu)} --device cpu (${gibibytes(onCpu.bytes)})`
      const pool = choosePool(role, memory)
      if (pool) return `${role} ${optionsOf(pool)} (${gibibytes(pool.bytes)})`
      return `${role} takes ${describeLeast(leastPool(role, memory), memory)}`
    })
}

function describeLeast({ bytes, gpuBytes }: NeededMemory = { bytes: 0, gpuBytes: 0 }, memory: ModelMemory): string {
  return `${gibibytes(bytes)}${memory.gpuBytes === null || gpuBytes === 0 ? '' : `, and ${gibibytes(gpuBytes)} of the GPU`}`
}

export const optionsOf = ({ settings }: Pool) =>
  Object.entries(settings)
    .map(([name, value]) => `--${name} ${value}`)
    .join(' ')
