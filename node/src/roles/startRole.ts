import { join } from 'node:path'
import type { Chain } from '#chain/openChain.ts'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { loadEnvironment, loadEnvironments } from '#environments/builtIn.ts'
import { KeptPolicyError } from '#rl/policy/keptPolicyError.ts'
import { runAuditor } from './auditor/auditor.ts'
import { openChecker } from './checking/openChecker.ts'
import { startEvaluator } from './evaluator/startEvaluator.ts'
import { heldOutPathOf, runGateway } from './gateway/gateway.ts'
import { runJudge } from './judge/judge.ts'
import { observePeer } from './metrics/observePeer.ts'
import { type AskedAdapter, adapterToTrain, usualAdapter } from './models/adapterToTrain.ts'
import { openPeer, type PeerNode } from './peerNode.ts'
import { proposalsOf } from './proposer/proposalsOf.ts'
import { PROPOSER_FOLDER } from './proposer/proposer.ts'
import { startProposer } from './proposer/startProposer.ts'
import { reportOutcome } from './reportOutcome.ts'
import type { RoleName } from './roleName.ts'
import type { RoleOptions } from './roleOptions.ts'
import { POLICY_FOLDER } from './solver/solver.ts'
import { startSolver } from './solver/startSolver.ts'

/** The start of each role; it runs until the node's signal is aborted. */
const starts: Readonly<Record<RoleName, (node: PeerNode, options: RoleOptions) => Promise<void>>> = {
  proposer: startProposer,
  solver: startSolver,
  evaluator: startEvaluator,
  judge: (node, { data }) => runJudge(node, data),
  async auditor(node, options) {
    const { models, close } = await openChecker(node, options)
    await runAuditor(node, models, { maxAppeals: options.settings.appeals }).finally(close)
  },
  gateway: (node, { data, settings: { http: port, bind, figuresOf } }) =>
    runGateway(node, { port, bind, heldOutPath: heldOutPathOf(data), folder: data, figuresOf }),
}

/** Runs a peer in its role until the signal is aborted; closes everything it opened. */
export async function startRole(options: RoleOptions): Promise<void> {
  const { role, chat, data, settings, alertUrls = [] } = options
  // Options that contradict the folder are refused before anything is opened or registered.
  const adapter = await checkedAdapter(options)
  const environments = chat ? [await loadEnvironment(chat.spec, chat)] : Object.values(await loadEnvironments())
  const node = await openPeer({ ...options, environments, follows: role === 'gateway' })
  let countsFrom = Number.POSITIVE_INFINITY
  let endObserving = async () => {}
  try {
    const { metricsPort: port, metricsBind: bind } = settings
    const metricsAt = port === undefined ? undefined : { port, bind }
    endObserving = await observePeer(node, { role, data, metricsAt, alertUrls, countsFrom: () => countsFrom })
    if (role === 'proposer') proposalsOf(node.environment)
    const { name, peerId } = node.identity
    node.logger.info('started', { role, name, peerId, addresses: node.network.addresses() })
    if (node.environment.caution !== undefined) node.logger.warn(node.environment.caution)
    performance.mark('waggle:started')
    countsFrom = await register(node, role)
    await starts[role]({ ...node, countsFrom }, { ...options, adapter })
  } catch (error) {
    if (!options.signal.aborted) throw error
  } finally {
    await endObserving()
    await node.close()
  }
}

/**
 * The adapter that the role trains; undefined for none.
 *
 * @throws {KeptPolicyError} if the options contradict the folder's policy.
 */
async function checkedAdapter({ role, data, chat, adapter, served }: RoleOptions): Promise<AskedAdapter | undefined> {
  if (role === 'proposer') await adapterToTrain(join(data, PROPOSER_FOLDER), adapter)
  if (role !== 'solver') return adapter
  const folder = join(data, POLICY_FOLDER)
  const usual = chat ? await usualAdapter(folder, adapter, chat.modelFolder) : adapter
  const trained = await adapterToTrain(folder, usual)
  if (served && trained === undefined)
    throw new KeptPolicyError('A server samples for this solver, and only an adapter can be handed over to it.', {
      hint: 'Name a rank with --lora; a folder that keeps whole weights has to be moved away first.',
    })
  return usual
}

type Waiting = { chain: Pick<Chain, 'peerKey' | 'readCountsFrom' | 'rounds'>; logger: Logger }

/** Time between two registrations before round 0. A key that is registered by then counts in it. */
const REGISTER_AGAIN_MS = 60_000

type Registering = Waiting & {
  chain: Pick<Chain, 'registerPeer'>
  clock: Clock
  network: Pick<PeerNode['network'], 'sayAddresses'>
  signal: AbortSignal
}

/**
 * A peer that votes, commits or is paid must be registered; one that only reads need not be. A registration that fails is tried again in each round,
 * and each minute before the first one.
 *
 * @returns the first round that the key counts in.
 */
export async function register(node: Registering, role: RoleName): Promise<number> {
  const { chain, network, clock, logger, signal } = node
  if (role === 'gateway' || role === 'auditor') return 0
  for (;;) {
    const outcome = await chain.registerPeer()
    if (outcome.status === 'unsupported key') {
      logger.warn('a peer key that is neither secp256k1 nor RSA cannot register: it takes part, but earns no points')
      return 0
    }
    if (outcome.status === 'already registered' || outcome.status === 'stopped') break
    const isRegistered = reportOutcome(logger, 'registered', outcome, {})
    if (isRegistered) network.sayAddresses()
    if (isRegistered) break
    // Its funds may have come after its deadline.
    const { round } = await chain.rounds.recent()
    await (round < 0 ? clock.sleep(REGISTER_AGAIN_MS, signal) : chain.rounds.waitFor(round + 1, signal))
  }
  return firstRoundOf(node)
}

/** First round that this peer's key counts in; says so where that has yet to come. 0 for a key that is not registered. */
export async function firstRoundOf({ chain, logger }: Waiting): Promise<number> {
  const countsFrom = (await chain.readCountsFrom(chain.peerKey)) ?? 0
  const { round } = await chain.rounds.recent()
  // Every key counts from the first round at the earliest.
  if (countsFrom > 0 && round < countsFrom) {
    const hint = `A key counts from the second round after its registration. It starts to work in round ${countsFrom} automatically.`
    logger.info('this key does not count yet; waiting', { round, countsFrom, hint })
  }
  return countsFrom
}
