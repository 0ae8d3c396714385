import type { describeMachine } from '#model/devices.ts'
import type { RoleName } from '#roles/roleName.ts'
import { chatModels } from './chatPools.ts'
import { gibibytes, memoryNeeded } from './memoryNeeded.ts'

/** A setting by the name of its option, with the reason for it. */
export type Choice = { setting: string; value: string | number | readonly string[]; reason: string }

type Machine = Awaited<ReturnType<typeof describeMachine>>

/** What the machine has to offer. On a local chain all peers are on it. */
export type Offer = Pick<Machine, 'cores' | 'gpus'> & {
  freeBytes: number
  isLocalChain: boolean
  /** Of the judge that a peer of chat models runs; 0 for none. */
  judgeParameters: number
}

const GIB = 2 ** 30
/** The starter models take a third of it; the rest is for payloads and the journal. */
const SOLVER_BYTES = GIB
/** Threads beyond these gain little for one model of this size, and the network needs a core. */
const MAX_THREADS = 8
/** From here on the larger model of CodeZero's solvers ends its rounds in time; processors are too slow for it. */
const LARGE_GPU_BYTES = 38 * GIB

/**
 * Role, model and threads that fit a machine.
 *
 * @param said - what the operator says; it is not chosen again.
 * @param said.environment - given for a swarm of chat models. Without it the starter model plays, which comes with the code.
 */
export function chooseSettings(
  { cores, gpus, freeBytes, isLocalChain, judgeParameters }: Offer,
  said: { role?: RoleName | undefined } & Partial<
    Record<'model' | 'environment' | 'threads' | 'lora' | 'listen', unknown>
  >,
): Choice[] {
  const choices: Choice[] = []
  const choose = (setting: string, value: Choice['value'], reason: string) => choices.push({ setting, value, reason })
  const free = `${gibibytes(freeBytes)} of memory free`
  const needOf = ({ parameters }: { parameters: number }, role: RoleName = 'solver') =>
    memoryNeeded({ role, parameters, judgeParameters, trained: 'adapter' })
  const needed = said.environment === undefined || said.model !== undefined ? SOLVER_BYTES : needOf(chatModels[0])
  const role = said.role ?? (freeBytes < needed ? 'gateway' : 'solver')
  if (said.role === undefined)
    choose(
      'role',
      role,
      role === 'solver'
        ? `${free}; it learns and earns points`
        : `only ${free}, and a solver takes ${gibibytes(needed)}: it runs no model`,
    )
  if (isLocalChain && said.listen === undefined)
    choose('listen', ['/ip4/127.0.0.1/tcp/0'], 'on a local chain all peers are on this machine')
  const threads = Math.max(1, Math.min(MAX_THREADS, cores - 1))
  if (said.threads === undefined && role !== 'gateway' && role !== 'judge')
    choose('threads', threads, `of ${cores} cores`)
  if (said.environment === undefined || role === 'gateway') return choices
  const gpuBytes = Math.max(0, ...gpus.map(({ memoryBytes }) => memoryBytes ?? 0))
  const fitting = chatModels.filter(
    (model, at) => at === 0 || (gpuBytes >= LARGE_GPU_BYTES && needOf(model, role) <= freeBytes),
  )
  const device = gpuBytes > 0 ? `a GPU of ${(gpuBytes / GIB).toFixed(0)} GiB` : 'no large GPU'
  if (said.model === undefined)
    choose('model', fitting.at(-1)?.name ?? chatModels[0].name, `the largest for ${device} and ${free}`)
  if (role !== 'solver' || said.lora !== undefined) return choices
  choose('lora', 16, 'an adapter takes a fraction of the memory of all weights')
  return choices
}
