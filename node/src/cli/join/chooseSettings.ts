import type { describeMachine } from '#model/devices.ts'
import type { RoleName } from '#roles/roleName.ts'

/** A setting by the name of its option, with the reason for it. */
export type Choice = { setting: string; value: string | number | readonly string[]; reason: string }

type Machine = Awaited<ReturnType<typeof describeMachine>>

/** What the machine has to offer. On a local chain all peers are on it. */
export type Offer = Pick<Machine, 'cores' | 'gpus'> & { freeBytes: number; isLocalChain: boolean }

const GIB = 2 ** 30
/** The starter models take a third of it; the rest is for payloads and the journal. */
const SOLVER_BYTES = GIB
/** Threads beyond these gain little for one model of this size, and the network needs a core. */
const MAX_THREADS = 8
/** From here on the larger pool of CodeZero's solvers fits. */
const LARGE_GPU_BYTES = 38 * GIB

/** Solvers of CodeZero's pools, smallest first. */
export const pools = {
  small: 'Qwen/Qwen2.5-Coder-0.5B-Instruct',
  large: 'Qwen/Qwen2.5-Coder-1.5B-Instruct',
} as const

/**
 * Role, model and threads that fit a machine.
 *
 * @param said - what the operator says; it is not chosen again.
 * @param said.environment - given for a swarm of chat models. Without it the starter model plays, which comes with the code.
 */
export function chooseSettings(
  { cores, gpus, freeBytes, isLocalChain }: Offer,
  said: { role?: RoleName | undefined } & Partial<
    Record<'model' | 'environment' | 'threads' | 'lora' | 'listen', unknown>
  >,
): Choice[] {
  const choices: Choice[] = []
  const choose = (setting: string, value: Choice['value'], reason: string) => choices.push({ setting, value, reason })
  const free = `${(freeBytes / GIB).toFixed(1)} GiB of memory free`
  const role = said.role ?? (freeBytes < SOLVER_BYTES ? 'gateway' : 'solver')
  if (said.role === undefined)
    choose('role', role, role === 'solver' ? `${free}; it learns and earns points` : `only ${free}: it runs no model`)
  if (isLocalChain && said.listen === undefined)
    choose('listen', ['/ip4/127.0.0.1/tcp/0'], 'on a local chain all peers are on this machine')
  const threads = Math.max(1, Math.min(MAX_THREADS, cores - 1))
  if (said.threads === undefined && role !== 'gateway' && role !== 'judge')
    choose('threads', threads, `of ${cores} cores`)
  if (said.environment === undefined || role === 'gateway') return choices
  const gpuBytes = Math.max(0, ...gpus.map(({ memoryBytes }) => memoryBytes ?? 0))
  const pool = gpuBytes >= LARGE_GPU_BYTES ? 'large' : 'small'
  if (said.model === undefined)
    choose('model', pools[pool], gpuBytes > 0 ? `a GPU of ${(gpuBytes / GIB).toFixed(0)} GiB` : 'no large GPU')
  if (role !== 'solver' || said.lora !== undefined) return choices
  choose('lora', 16, 'an adapter takes a fraction of the memory of all weights')
  return choices
}
