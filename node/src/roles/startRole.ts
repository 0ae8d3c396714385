import { join } from 'node:path'
import { loadEnvironment, loadEnvironments } from '#environments/builtIn.ts'
import type { ChatFolders } from '#environments/environmentKind.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import type { Device } from '#model/devices.ts'
import { appealScores } from './appellant/appealScores.ts'
import { runAuditor } from './auditor/auditor.ts'
import { betOnGames } from './bettor/betOnGames.ts'
import { type NamedDataset, openDatasetIndex } from './datasets/datasetIndex.ts'
import { reportOutcome } from './duties/reportOutcome.ts'
import { showDemanded } from './duties/showDemanded.ts'
import { runEvaluator } from './evaluator/evaluator.ts'
import { judgeDisputes } from './evaluator/judgeDisputes.ts'
import { firstRoundOf } from './firstRoundOf.ts'
import { heldOutPathOf, runGateway } from './gateway/gateway.ts'
import { runJudge } from './judge/judge.ts'
import { observePeer } from './metrics/observePeer.ts'
import { noteRun, type RunNote } from './metrics/runNote.ts'
import { type AskedAdapter, adapterToTrain, KeptPolicyError, usualAdapter } from './models/adapterToTrain.ts'
import { keepTokenizer } from './models/keepTokenizer.ts'
import { openJudge, openPolicy } from './models/openModels.ts'
import { openProposalWriter } from './models/openProposalWriter.ts'
import { requirePaidBase, unpaidSolver } from './models/paidBaseHere.ts'
import { openPeer, type PeerNode, type PeerOptions } from './peerNode.ts'
import { openSources } from './proposer/openSources.ts'
import { proposalsOf } from './proposer/proposalsOf.ts'
import { PROPOSER_FOLDER, runProposer } from './proposer/proposer.ts'
import type { RoleName } from './roleName.ts'
import { createPusher, type PushSettings } from './solver/pushPolicy.ts'
import { createServedSampler, type ServedSettings } from './solver/servedSampler.ts'
import { POLICY_FOLDER, runSolver } from './solver/solver.ts'

export type RoleOptions = Omit<PeerOptions, 'environments' | 'follows'> & {
  role: RoleName
  /** Proposer: holds the difficulty. */
  level: number | undefined
  /**
   * Proposer: a dataset, and the share of its tasks that are from there; with 1 no model is loaded. Solver: the dataset whose tasks its
   * figures tell apart.
   */
  dataset: (NamedDataset & { share: number }) | undefined
  /** Evaluator: withheld leaves that it demands a round at most. */
  demands: number
  /** Solver, auditor: settled scores of a round that it appeals at most. Evaluator: verdicts over its votes, at a time. */
  appeals: number
  /** Solver: what a Nectar is worth in the chain's coin. */
  nectarPrice: number
  /** Solver: Nectar that it stakes on a game of the market at most; 0 for no bets. */
  bets: number
  /** Gateway: port of its HTTP server. */
  httpPort: number
  /** Gateway: folders of the operator's own solvers, and of proposers that learn, whose training figures it serves. */
  figuresOf?: readonly string[]
  /** Of what learns: its model's name, as figures show it; undefined for the starter models. */
  model?: string | undefined
  /** Chat models to play with, and the specification that they are for; undefined for the starter models. */
  chat: (ChatFolders & { spec: EnvironmentSpec }) | undefined
  /** Threads of a model's session. */
  threads: number
  /** Solver: the settings of an adapter to train instead of the weights. Proposer: of one to train; frozen without. */
  adapter: AskedAdapter | undefined
  /** Solver: a server that samples its answers, which are not paid then; undefined for the policy here. */
  served?: ServedSettings | undefined
  /** Solver: where and how often its policy is published; undefined for never. */
  push?: PushSettings | undefined
  /** What generates and scores. */
  device: Device
  /** Port of `/health`, `/ready` and `/metrics`, on loopback; none without it. */
  metricsPort?: number | undefined
  /** Webhooks that are told what is wrong. They hold credentials. */
  alertUrls?: readonly string[]
}

/** Runs a peer in its role until the signal is aborted; closes everything it opened. */
export async function startRole(options: RoleOptions): Promise<void> {
  const { chat, data } = options
  const folder = join(data, POLICY_FOLDER)
  const solves = options.role === 'solver'
  const adapter = chat && solves ? await usualAdapter(folder, options.adapter, chat.modelFolder) : options.adapter
  // What contradicts the folder is said before anything is opened or registered.
  const trained = solves ? await adapterToTrain(folder, adapter) : undefined
  if (options.served && trained === undefined) throw noAdapter()
  if (options.role === 'proposer') await adapterToTrain(join(data, PROPOSER_FOLDER), adapter)
  const environments = chat ? [await loadEnvironment(chat.spec, chat)] : Object.values(await loadEnvironments())
  const node = await openPeer({ ...options, environments, follows: options.role === 'gateway' })
  let countsFrom = Number.POSITIVE_INFINITY
  let endObserving = async () => {}
  try {
    const { role, metricsPort, alertUrls = [] } = options
    endObserving = await observePeer(node, { role, data, metricsPort, alertUrls, countsFrom: () => countsFrom })
    if (options.role === 'proposer') proposalsOf(node.environment)
    const { name, peerId } = node.identity
    node.logger.info('started', { role: options.role, name, peerId, addresses: node.network.addresses() })
    if (node.environment.caution !== undefined) node.logger.warn(node.environment.caution)
    performance.mark('waggle:started')
    countsFrom = await register(node, role)
    await run({ ...node, countsFrom }, { ...options, adapter })
  } catch (error) {
    if (!options.signal.aborted) throw error
  } finally {
    await endObserving()
    await node.close()
  }
}

/**
 * A peer that votes, commits or is paid must be registered; one that only reads need not be.
 *
 * @returns the first round that the key counts in.
 */
async function register(node: PeerNode, role: RoleName): Promise<number> {
  const { chain, network, logger } = node
  if (role === 'gateway' || role === 'auditor') return 0
  const outcome = await chain.registerPeer()
  if (outcome.status === 'unsupported key') {
    logger.warn('a peer key that is neither secp256k1 nor RSA cannot register: it takes part, but earns no points')
    return 0
  }
  if (outcome.status !== 'already registered') {
    reportOutcome(logger, 'registered', outcome, {})
    network.sayAddresses()
  }
  return firstRoundOf(node)
}

async function run(
  node: PeerNode,
  { role, data, level, dataset, demands, httpPort, threads, device, adapter, chat, ...options }: RoleOptions,
): Promise<void> {
  const { environment } = node
  const slow = (operation: string, seconds: number) =>
    node.logger.info('the model worker is still at work', { operation, seconds })
  const worker = { threads, device, crashed: node.workerRestarts.restarted, slow }
  if (role === 'gateway') {
    const { figuresOf = [] } = options
    return runGateway(node, { port: httpPort, heldOutPath: heldOutPathOf(data), folder: data, figuresOf })
  }
  if (role === 'judge') return runJudge(node, data)
  if (role === 'evaluator') {
    await requirePaidBase(environment)
    const { close, ...models } = await openJudge(environment, worker)
    const evaluator = { demands, maxAppeals: options.appeals }
    const duties = [runEvaluator(node, models, evaluator), judgeDisputes(node, data), showDemanded(node, 'others')]
    return void (await Promise.all(duties).finally(close))
  }
  if (role === 'auditor') {
    const { close, ...models } = await openJudge(environment, worker)
    return runAuditor(node, models, { maxAppeals: options.appeals }).finally(close)
  }
  if (role === 'proposer') {
    const folder = join(data, PROPOSER_FOLDER)
    const openWriter = () => openProposalWriter(environment, worker, { folder, adapter })
    const sources = await openSources(node, dataset, openWriter, folder)
    if (sources.learner) noteStart(node, { role, trained: 'adapter', model: options.model, device })
    return runProposer(node, sources, { level }).finally(sources.close)
  }
  const index = dataset && (await openDatasetIndex(dataset, proposalsOf(environment), node))
  if (chat) await keepTokenizer(chat.modelFolder, join(data, POLICY_FOLDER))
  const folder = join(data, POLICY_FOLDER)
  const policy = await openPolicy(environment, folder, { ...worker, adapter })
  const judge = await environment.openJudge(policy)
  const adapted = await adapterToTrain(folder, adapter)
  const trained = adapted === undefined ? 'weights' : 'adapter'
  noteStart(node, { role, trained, model: options.model, device })
  const unpaid = await unpaidSolver(adapted, environment, options.served !== undefined)
  if (unpaid !== null)
    node.logger.warn('its answers earn nothing: the policy learns, and nothing is committed', { reason: unpaid })
  const appellant = { maxAppeals: options.appeals, nectarPrice: options.nectarPrice }
  const appealing = appealScores(node, { judge, reader: policy }, appellant)
  const pusher = options.push && createPusher(node, options.push, { data, policyFolder: folder })
  const betting = betOnGames(node, policy, { data, perGame: options.bets })
  const served = options.served && createServedSampler(node, policy, options.served, { data, policyFolder: folder })
  const solver = { data, trained, unpaid, datasetOf: index?.datasetOf, pusher, served } as const
  const solving = runSolver(node, policy, judge, solver)
  await Promise.all([showDemanded(node, 'own'), appealing, betting, solving]).finally(async () => {
    await pusher?.settled()
    await served?.close()
    await policy.close()
  })
}

function noteStart(
  { journal, identity, clock }: PeerNode,
  { model = null, ...run }: Pick<RunNote, 'role' | 'trained' | 'device'> & { model: string | null | undefined },
): void {
  noteRun(journal, { peerKey: identity.peerKey, model, ...run, startedAtMs: clock.nowMs() })
}

const noAdapter = () =>
  new KeptPolicyError('A server samples for this solver, and only an adapter can be handed over to it.', {
    hint: 'Name a rank with --lora; a folder that keeps whole weights has to be moved away first.',
  })
