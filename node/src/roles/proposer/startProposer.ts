import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment, Proposals } from '#environments/environment.ts'
import { EnvironmentMismatchError } from '#environments/environmentMismatch.ts'
import type { BasePrecision } from '#model/lora/loraConfig.ts'
import type { AdapterSettings } from '#rl/policy/adapterPolicy.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import { openLastingPolicy } from '#rl/policy/policyClient.ts'
import { noteRun } from '../metrics/runNote.ts'
import { type AskedAdapter, adapterToTrain } from '../models/adapterToTrain.ts'
import { learningOptions, type WorkerSettings } from '../models/openModels.ts'
import type { PeerNode } from '../peerNode.ts'
import { type RoleOptions, workerOf } from '../roleOptions.ts'
import { openDatasetProposer } from './datasetProposer.ts'
import { proposalsOf } from './proposalsOf.ts'
import type { WriteProposals } from './propose.ts'
import { DATASET_POSITION, PROPOSER_FOLDER, runProposer, type TaskSources } from './proposer.ts'
import { createProposerLearner } from './proposerLearner.ts'
import { readSolvedShares } from './solvedShares.ts'

/**
 * Opens a peer's sources of tasks: a model, unless a dataset provides all tasks. The order of the dataset's rows follows from the peer's key, so
 * proposers of one dataset propose different tasks.
 *
 * @param folder - of a model that learns.
 */
async function openSources(
  node: PeerNode,
  asked: { path: string; share: number } | undefined,
  openWriter: () => Promise<ProposalWriter>,
  folder: string,
): Promise<TaskSources & { close(): Promise<void> }> {
  const { environment, identity, journal, logger } = node
  const learnerOf = (policy: ProposalWriter['policy'] | undefined) => {
    const readShares = (round: number, until: AbortSignal) => readSolvedShares(node, round, until)
    return policy ? createProposerLearner({ ...node, readShares }, policy, folder) : null
  }
  if (asked === undefined) {
    const { write, policy, close } = await openWriter()
    return { write, dataset: null, learner: learnerOf(policy), close }
  }
  const { path, share } = asked
  const kept = journal.getState(DATASET_POSITION)
  const proposer = await openDatasetProposer(path, identity.peerKey, proposalsOf(environment), kept)
  logger.info('proposing from a dataset', { path, share, position: proposer.position() })
  try {
    const writer = share < 1 ? await openWriter() : null
    const close = async () => void (await Promise.all([writer?.close(), proposer.close()]))
    return { write: writer?.write ?? null, dataset: { proposer, share }, learner: learnerOf(writer?.policy), close }
  } catch (error) {
    await proposer.close()
    throw error
  }
}

/** Opens a proposer's model and dataset, and proposes. */
export async function startProposer(node: PeerNode, options: RoleOptions): Promise<void> {
  const { data, settings, dataset, adapter, model, device } = options
  const folder = join(data, PROPOSER_FOLDER)
  const openWriter = () => openProposalWriter(node.environment, workerOf(node, options), { folder, adapter })
  const sources = await openSources(node, dataset, openWriter, folder)
  if (sources.learner) noteRun(node, { role: 'proposer', trained: 'adapter', model: model ?? null, device })
  await runProposer(node, sources, { level: settings.level }).finally(sources.close)
}

/** Folder of a proposer's adapter, and the requested adapter. */
type Learning = { readonly folder: string; readonly adapter: AskedAdapter | undefined }

type ProposalWriter = {
  readonly write: WriteProposals
  /** The learning model; null if the model is frozen or on a server. */
  readonly policy: PolicyClient | null
  close(): Promise<void>
}

type Model = NonNullable<Proposals['model']>

/**
 * Opens the writer of a proposer's texts: a model in its own worker, frozen or with an adapter that learns, or a server.
 *
 * @throws {KeptPolicyError} if the requested adapter is not the stored one.
 * @throws {EnvironmentMismatchError} if proposals of the environment are sampled in a way that cannot be learned from.
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

/** Nobody checks how a proposal was sampled: by default the base has the precision of the frozen model. */
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
