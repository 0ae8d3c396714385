import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment, Proposals } from '#environments/environment.ts'
import { EnvironmentMismatchError } from '#environments/environmentMismatch.ts'
import type { BasePrecision } from '#model/lora/loraConfig.ts'
import type { AdapterSettings } from '#rl/policy/adapterPolicy.ts'
import { openLastingPolicy } from '#rl/policy/lastingPolicy.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import { proposalsOf } from '../proposer/proposalsOf.ts'
import type { WriteProposals } from '../proposer/propose.ts'
import { type AskedAdapter, adapterToTrain } from './adapterToTrain.ts'
import { learningOptions, type WorkerSettings } from './openModels.ts'

/** Where a proposer's adapter is kept, and the one that is asked for. */
type Learning = { readonly folder: string; readonly adapter: AskedAdapter | undefined }

export type ProposalWriter = {
  readonly write: WriteProposals
  /** What writes, where it learns; null if it is frozen, or a server's. */
  readonly policy: PolicyClient | null
  close(): Promise<void>
}

type Model = NonNullable<Proposals['model']>

/**
 * What writes a proposer's texts: a model in its own worker, frozen or under an adapter that learns, or a server.
 *
 * @throws {KeptPolicyError} if an adapter is asked for which is not the one that was kept.
 * @throws {EnvironmentMismatchError} if the environment draws proposals in a way that cannot be learned from.
 */
export async function openProposalWriter(
  environment: Environment,
  worker: WorkerSettings,
  learning: Learning | null = null,
): Promise<ProposalWriter> {
  const { model, write } = proposalsOf(environment)
  const adapter = model && learning && (await adapterOf(model, learning))
  const policy = model && learning && adapter ? await openLearning(environment, model, adapter, learning, worker) : null
  const client = policy ?? (model && (await openFrozen(model, worker)))
  return {
    write: (level, count, seed, until) => write(level, count, seed, until, client),
    policy,
    close: async () => client?.close(),
  }
}

/** Nobody checks how a proposal was sampled: unless something else is said or kept, the base stays as the frozen model would be. */
function adapterOf({ precision }: Model, { folder, adapter }: Learning): Promise<AdapterSettings | undefined> {
  const base: BasePrecision = precision === 'int8' ? 'int8' : 'float32'
  const isKept = existsSync(join(folder, ADAPTER_FILE))
  return adapterToTrain(folder, adapter && !isKept ? { base, ...said(adapter) } : adapter)
}

const ADAPTER_FILE = 'adapter_config.json'

const said = (adapter: AskedAdapter): AskedAdapter =>
  Object.fromEntries(Object.entries(adapter).filter(([, value]) => value !== undefined))

async function openLearning(
  environment: Environment,
  { folder: base }: Model,
  adapter: AdapterSettings,
  { folder }: Learning,
  { crashed, slow, ...options }: WorkerSettings,
): Promise<PolicyClient> {
  const { spec } = environment
  const { temperature } = proposalsOf(environment).sampling
  if (temperature === 0)
    throw new EnvironmentMismatchError(
      `The environment '${spec.preset}' takes the likeliest proposal (proposing.temperature is 0), from which nothing can be learned.`,
      { hint: 'Leave out --lora.' },
    )
  const settings = { ...options, adapter, ...learningOptions(spec, { temperature, topP: 1 }) }
  const policy = openLastingPolicy(settings, { crashed, slow })
  try {
    await policy.load(existsSync(join(folder, ADAPTER_FILE)) ? folder : base, base)
    return policy
  } catch (error) {
    await policy.close()
    throw error
  }
}

async function openFrozen(
  { folder, precision }: Model,
  { crashed, slow, ...options }: WorkerSettings,
): Promise<PolicyClient> {
  const client = openLastingPolicy(options, { crashed, slow })
  try {
    await client.loadFrozen(folder, precision)
    return client
  } catch (error) {
    await client.close()
    throw error
  }
}
