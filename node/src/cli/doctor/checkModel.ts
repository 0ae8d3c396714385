import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import { readBaseHash, unpaidBase } from '#environments/paidBase.ts'
import { isServerUrl } from '#hub/chatServer/serverAddress.ts'
import type { Device } from '#model/devices.ts'
import { isPaidAsAdapter } from '#roles/models/adapterToTrain.ts'
import type { RoleName } from '#roles/roleName.ts'
import { describePools, type ModelMemory } from '../join/choosePool.ts'
import { describeFree, describeMemory, type MachineMemory, shortMemory } from '../join/machineMemory.ts'
import { type AskedDuties, type AskedTraining, memoryNeeded, trainedOf } from '../join/memoryNeeded.ts'
import { isModelFolder, judgeOf, judgeParametersOf, parametersOf } from '../join/modelParameters.ts'
import { type Finding, failure, ok, warning } from './finding.ts'

/** The models of a peer in a swarm of chat models. */
type ChatRole = AskedTraining &
  AskedDuties & {
    role: RoleName | undefined
    model: string | undefined
    /** Further bases that an evaluator or auditor holds. */
    bases?: readonly string[] | undefined
    /** The proposer's model; by default `model`. */
    proposer?: string | undefined
    judge: string | undefined
  }

/** Checks whether this base is among those that the environment pays. */
export async function checkBases({ bases }: Pick<EnvironmentSpec, 'bases'>, { model }: ChatRole): Promise<Finding> {
  if (bases === null) return ok('bases', 'adapters over any base are paid')
  const listed = `adapters over ${bases.join(', ')} are paid`
  if (model === undefined || !isModelFolder(model)) return ok('bases', listed)
  const hash = await readBaseHash(model)
  if (unpaidBase(hash, { bases }) === null) return ok('bases', `${listed}; ${model} is one`)
  return warning(
    'bases',
    `${listed}; ${model} is ${hash}`,
    'A solver learns unpaid over it, and an evaluator does not start: name a model of the list with --model.',
  )
}

/**
 * Checks whether the machine's memory, and that of its GPU, are enough for the role with its models, if their sizes are known before they are
 * downloaded.
 */
export async function checkModelMemory(
  spec: EnvironmentSpec,
  asked: ChatRole,
  memory: MachineMemory,
): Promise<Finding> {
  const { role = 'solver' } = asked
  const model = role === 'proposer' ? (asked.proposer ?? asked.model) : asked.model
  const own = model !== undefined && isServerUrl(model) ? 0 : await parametersOf(model)
  if (own === null)
    return warning('model', `${model ?? 'none'}: its size is not known here`, 'Name its folder with --model.')
  const bases = await Promise.all(
    (asked.bases ?? []).map(async base => ({ base, parameters: await parametersOf(base) })),
  )
  const parameters = bases.reduce((sum, base) => sum + (base.parameters ?? 0), own)
  const judge = judgeOf(spec, asked.judge, role)
  const judgeParameters = await judgeParametersOf(judge)
  const { lora = isPaidAsAdapter(parameters) ? undefined : 0, loraBase, appeals, bets } = asked
  const trained = trainedOf(role, { lora, loraBase })
  const played = { role, parameters, judgeParameters: judgeParameters ?? 0, trained }
  const needed = memoryNeeded({ ...played, appeals, bets })
  const what = role === 'solver' ? `a solver that trains ${trained === 'weights' ? 'all weights' : 'an adapter'}` : role
  const found = `${what} of ${(parameters / 1e9).toFixed(2)} billion parameters takes about ${describeMemory(needed, memory)}`
  const short = shortMemory(needed, memory)
  const unknown = [
    ...bases.flatMap(({ base, parameters: size }) => (size === null ? [{ name: base, option: '--base' }] : [])),
    ...(judgeParameters === null ? [{ name: judge, option: '--judge' }] : []),
  ]
  if (short === null && unknown[0] !== undefined) {
    const names = unknown.map(({ name }) => name).join(' and ')
    const advice = `Name the folder of ${unknown[0].name} with ${unknown[0].option}.`
    return warning('model', `${found}, without ${names}, whose size is not known here`, advice)
  }
  if (short === null) return ok('model', found)
  if (shortMemory(memoryNeeded({ ...played, appeals: 0, bets: 0 }), memory) === null)
    return failure('model', found, WITHOUT_DUTIES)
  return failure('model', found, trained === 'weights' && role === 'solver' ? TRAIN_ADAPTER : adviceOn[short])
}

const WITHOUT_DUTIES = 'Leave out appeals and bets, for which the base is loaded once more: --appeals off --bets off.'
const TRAIN_ADAPTER = 'Train an adapter: leave out --lora 0, or name a rank.'

const adviceOn = {
  machine: 'Name a smaller model with --model, stop something, or run a gateway, which has no model.',
  gpu: "Name a smaller model, have a server judge (--judge URL), or run models on the CPU, in the machine's memory (--device cpu).",
} as const

/** Models that `join` would choose for each role on this machine. */
export function checkPools(memory: ModelMemory, device: Device | 'auto'): Finding {
  return ok('pools', `${describeFree(memory)}: ${describePools(memory, device === 'auto').join('; ')}`)
}
