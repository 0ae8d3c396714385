import type { RoleName } from '#roles/roleName.ts'
import { chatPools, type Pool } from './chatPools.ts'
import { gibibytes, memoryNeeded } from './memoryNeeded.ts'

/** A machine's memory for models, and the parameters of the judge that its peer would load; 0 for none. */
export interface ModelMemory {
  readonly freeBytes: number
  readonly judgeParameters: number
}

/** The best pool of a role that a machine has memory for; undefined if it has too little. */
export function choosePool(role: RoleName, memory: ModelMemory): (Pool & { bytes: number }) | undefined {
  return poolsOf(role, memory).find(({ bytes }) => bytes <= memory.freeBytes)
}

/** The pool that needs the least memory. */
export function leastPool(role: RoleName, memory: ModelMemory): (Pool & { bytes: number }) | undefined {
  return poolsOf(role, memory).at(-1)
}

function poolsOf(role: RoleName, { judgeParameters }: ModelMemory) {
  return chatPools[role].map(pool => ({ ...pool, bytes: memoryNeeded({ role, judgeParameters, ...pool }) }))
}

/** Describes the models that each role would use here: `solver --model … (7.5 GiB)`, or the missing memory. */
export function describePools(memory: ModelMemory): string[] {
  return (Object.keys(chatPools) as RoleName[])
    .filter(role => chatPools[role].length > 0)
    .map(role => {
      const pool = choosePool(role, memory)
      if (pool) return `${role} ${optionsOf(pool)} (${gibibytes(pool.bytes)})`
      return `${role} takes ${gibibytes(leastPool(role, memory)?.bytes ?? 0)}`
    })
}

export const optionsOf = ({ settings }: Pool) =>
  Object.entries(settings)
    .map(([name, value]) => `--${name} ${value}`)
    .join(' ')
