import type { describeMachine } from '#model/devices.ts'
import type { RoleName } from '#roles/roleName.ts'
import { choosePool, leastPool, type ModelMemory, poolOnCpu, type SaidOfPool } from './choosePool.ts'
import { describeFree, describeMemory, gibibytes, type NeededMemory, shortMemory } from './machineMemory.ts'

/** A setting by the name of its option, with the reason for it. */
export type Choice = { setting: string; value: string | number | readonly string[]; reason: string }

type Machine = Awaited<ReturnType<typeof describeMachine>>

/** The machine's resources. On a local chain all peers share them. */
type Offer = Pick<Machine, 'cores'> & ModelMemory & { isLocalChain: boolean }

/** The operator's settings by option name; they are kept. */
type Said = { role?: RoleName | undefined } & SaidOfPool & Readonly<Record<string, unknown>>

/** The starter models take a third of it; the rest is for payloads and the journal. */
const SOLVER_BYTES = 2 ** 30
/** Threads beyond these gain little for one model of this size, and the network needs a core. */
const MAX_THREADS = 8

/**
 * Role, model and threads that fit a machine.
 *
 * @param said - with `environment` for a swarm of chat models; by default the starter model, which comes with the code, is used.
 */
export function chooseSettings(machine: Offer, said: Said): Choice[] {
  const { cores, isLocalChain } = machine
  const ofPool = said.environment !== undefined && said.model === undefined
  const choices: Choice[] = []
  const cpu = ofPool ? cpuInstead(said.role ?? 'solver', machine, said) : null
  const offer = cpu === null ? machine : { ...machine, gpuBytes: null }
  const starter = { bytes: SOLVER_BYTES, gpuBytes: 0 }
  const least = ofPool ? (leastPool('solver', offer, said) ?? starter) : starter
  const role = said.role ?? (shortMemory(least, offer) === null ? 'solver' : 'gateway')
  if (said.role === undefined) choices.push({ setting: 'role', value: role, reason: reasonOfRole(offer, least) })
  if (cpu !== null) choices.push(cpu)
  if (isLocalChain && said.listen === undefined) {
    const value = ['/ip4/127.0.0.1/tcp/0']
    choices.push({ setting: 'listen', value, reason: 'on a local chain all peers are on this machine' })
  }
  const threads = Math.max(1, Math.min(MAX_THREADS, cores - 1))
  if (said.threads === undefined && role !== 'gateway' && role !== 'judge')
    choices.push({ setting: 'threads', value: threads, reason: `of ${cores} cores` })
  // Over a model of the operator's own, the role itself chooses a rank that can be published.
  if (ofPool) choices.push(...choicesOfPool(role, offer, said))
  return choices
}

/** The CPU, if the machine's memory holds better models than the GPU's does. Null if the operator named a device, or said `auto`. */
function cpuInstead(role: RoleName, memory: ModelMemory, said: Said): Choice | null {
  if (memory.gpuBytes === null || said.device !== undefined) return null
  const pool = poolOnCpu(role, memory, said)
  if (pool === undefined) return null
  const reason = `its models take ${gibibytes(pool.gpuBytes)} of a GPU, and this one has ${gibibytes(memory.gpuBytes)}`
  return { setting: 'device', value: 'cpu', reason }
}

function reasonOfRole(memory: ModelMemory, least: NeededMemory): string {
  const short = shortMemory(least, memory)
  if (short === null) return `${describeFree(memory, ' of memory')}; it learns`
  if (short === 'machine')
    return `only ${gibibytes(memory.freeBytes)} of memory free, and a solver takes ${gibibytes(least.bytes)}: it runs no model`
  return `the GPU has only ${gibibytes(memory.gpuBytes ?? 0)}, and a solver takes ${gibibytes(least.gpuBytes)} of it: it runs no model`
}

/** The settings of the role's pool that the operator did not set; those of the smallest pool if none fits. */
function choicesOfPool(role: RoleName, memory: ModelMemory, said: Said): Choice[] {
  const pool = choosePool(role, memory, said) ?? leastPool(role, memory, said)
  if (pool === undefined) return []
  const reason = `${pool.about}; takes ${describeMemory(pool, memory)}`
  return Object.entries(pool.settings).map(([setting, value]) => ({
    ...{ setting, value },
    reason: value === 'off' ? 'it would load the base once more, for which the memory is too small' : reason,
  }))
}
