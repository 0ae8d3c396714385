import type { describeMachine } from '#model/devices.ts'
import type { RoleName } from '#roles/roleName.ts'
import { choosePool, leastPool, type ModelMemory, type SaidOfPool } from './choosePool.ts'
import { gibibytes } from './memoryNeeded.ts'

/** A setting by the name of its option, with the reason for it. */
export type Choice = { setting: string; value: string | number | readonly string[]; reason: string }

type Machine = Awaited<ReturnType<typeof describeMachine>>

/** The machine's resources. On a local chain all peers share them. */
type Offer = Pick<Machine, 'cores'> & {
  freeBytes: number
  isLocalChain: boolean
  /** Parameters of the judge that a peer of chat models runs; 0 for none. */
  judgeParameters: number
}

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
export function chooseSettings(offer: Offer, said: Said): Choice[] {
  const { cores, freeBytes, isLocalChain } = offer
  const ofPool = said.environment !== undefined && said.model === undefined
  const choices: Choice[] = []
  const least = ofPool ? (leastPool('solver', offer, said)?.bytes ?? 0) : SOLVER_BYTES
  const role = said.role ?? (freeBytes < least ? 'gateway' : 'solver')
  if (said.role === undefined) choices.push({ setting: 'role', value: role, reason: reasonOfRole(freeBytes, least) })
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

function reasonOfRole(freeBytes: number, leastBytes: number): string {
  const free = `${gibibytes(freeBytes)} of memory free`
  if (freeBytes >= leastBytes) return `${free}; it learns`
  return `only ${free}, and a solver takes ${gibibytes(leastBytes)}: it runs no model`
}

/** The settings of the role's pool that the operator did not set; those of the smallest pool if none fits. */
function choicesOfPool(role: RoleName, memory: ModelMemory, said: Said): Choice[] {
  const pool = choosePool(role, memory, said) ?? leastPool(role, memory, said)
  if (pool === undefined) return []
  const reason = `${pool.about}; takes ${gibibytes(pool.bytes)}, ${gibibytes(memory.freeBytes)} are free`
  return Object.entries(pool.settings).map(([setting, value]) => ({ setting, value, reason }))
}
