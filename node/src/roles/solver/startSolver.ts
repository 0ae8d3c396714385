import { join } from 'node:path'
import { readDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { parameterCount } from '#model/decoder/decoderWeights.ts'
import { appealScores } from '../appellant/appealScores.ts'
import { betOnGames } from '../bettor/betOnGames.ts'
import { openDatasetIndex } from '../datasets/datasetIndex.ts'
import { showDemanded } from '../duties/showDemanded.ts'
import { noteRun } from '../metrics/runNote.ts'
import { adapterToTrain } from '../models/adapterToTrain.ts'
import { keepTokenizer } from '../models/keepTokenizer.ts'
import { openPolicy } from '../models/openModels.ts'
import { unpaidSolver } from '../models/paidBaseHere.ts'
import type { PeerNode } from '../peerNode.ts'
import { proposalsOf } from '../proposer/proposalsOf.ts'
import { type RoleOptions, workerOf } from '../roleOptions.ts'
import { createPusher } from './pushPolicy.ts'
import { openSamplingApart } from './samplingApart.ts'
import { createServedSampler } from './servedSampler.ts'
import { POLICY_FOLDER, runSolver } from './solver.ts'

/** Opens a solver's policy and runs its duties: it solves and learns, shows what is demanded, appeals and bets. */
export async function startSolver(node: PeerNode, options: RoleOptions): Promise<void> {
  const { environment, logger } = node
  const { data, settings, dataset, adapter, chat, model, device } = options
  const policyFolder = join(data, POLICY_FOLDER)
  const index = dataset && (await openDatasetIndex(dataset, proposalsOf(environment), node))
  if (chat) await keepTokenizer(chat.modelFolder, policyFolder)
  const policy = await openPolicy(environment, policyFolder, { ...workerOf(node, options), adapter })
  const judge = await environment.openJudge(policy)
  const adapted = await adapterToTrain(policyFolder, adapter)
  const trained = adapted === undefined ? 'weights' : 'adapter'
  noteRun(node, { role: 'solver', trained, model: model ?? null, device })
  const unpaid = await unpaidSolver(adapted, environment, options.served !== undefined)
  if (unpaid !== null)
    logger.warn('its answers earn nothing: the policy learns, and nothing is committed', { reason: unpaid })
  const pusher = options.push && createPusher(node, options.push, { data, policyFolder })
  const served = options.served && createServedSampler(node, policy, options.served, { data, policyFolder })
  const parameters = parameterCount(await readDecoderConfig(environment.solverFolder))
  const worker = { ...workerOf(node, options), device }
  const apart = served
    ? null
    : openSamplingApart(node, policy, { ...worker, threads: settings.threads, trained, parameters })
  const { appeals: maxAppeals, nectarPrice, bets: perGame } = settings
  const duties = [
    showDemanded(node, 'own'),
    appealScores(node, { judge, reader: policy }, { maxAppeals, nectarPrice }),
    betOnGames(node, policy, { data, perGame }),
    runSolver(node, policy, judge, { data, trained, unpaid, datasetOf: index?.datasetOf, pusher, served, apart }),
  ]
  await Promise.all(duties).finally(async () => {
    await pusher?.settled()
    await served?.close()
    await Promise.all([policy.close(), apart?.close()])
  })
}
