import { copyFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { makeFolder } from '#base/makeFolder.ts'
import type { Environment } from '#environments/environment.ts'
import { appealScores } from '../appellant/appealScores.ts'
import { betOnGames } from '../bettor/betOnGames.ts'
import { openDatasetIndex } from '../datasets/datasetIndex.ts'
import { showDemanded } from '../duties/showDemanded.ts'
import { noteRun } from '../metrics/runNote.ts'
import { adapterToTrain } from '../models/adapterToTrain.ts'
import { openJudge, openPolicy, tellMeasured, type WorkerSettings } from '../models/openModels.ts'
import { unpaidSolver } from '../models/paidBaseHere.ts'
import type { PeerNode } from '../peerNode.ts'
import { proposalsOf } from '../proposer/proposalsOf.ts'
import { type RoleOptions, workerOf } from '../roleOptions.ts'
import { createPusher } from './pushPolicy.ts'
import { createServedSampler } from './servedSampler.ts'
import { POLICY_FOLDER, runSolver } from './solver.ts'

/** Whether the judge's model has its own process, and scores while the policy samples: with cores for both and for the network. */
export function hasJudgeProcess(
  { judgeModel }: Pick<Environment, 'judgeModel'>,
  { threads = 1, device = 'cpu' }: Pick<WorkerSettings, 'threads' | 'device'>,
  cores = availableParallelism(),
): boolean {
  return judgeModel !== null && device === 'cpu' && 2 * threads < cores
}

/** Opens a solver's policy and runs its duties: it solves and learns, shows demanded leaves, appeals and bets. */
export async function startSolver(node: PeerNode, options: RoleOptions): Promise<void> {
  const { environment, logger } = node
  const { data, settings, dataset, adapter, chat, model, device } = options
  const policyFolder = join(data, POLICY_FOLDER)
  const index = dataset && (await openDatasetIndex(dataset, proposalsOf(environment), node))
  if (chat) await keepTokenizer(chat.modelFolder, policyFolder)
  const worker = workerOf(node, options)
  // A server is examined with answers of the base: before the policy takes its memory.
  const withoutModel = environment.judgeModel === null ? await environment.openJudge(null) : null
  const isApart = hasJudgeProcess(environment, worker)
  const policy = await openPolicy(environment, policyFolder, { ...worker, adapter, judges: !isApart })
  const closePolicy = async (error: unknown) => {
    await policy.close()
    throw error
  }
  const judging = isApart ? await openJudge(environment, worker).catch(closePolicy) : null
  const judge = withoutModel ?? judging?.judge ?? (await environment.openJudge(policy))
  tellMeasured(judge, logger)
  // A judge without a model here leaves the policy's process alone.
  const judgesApart = isApart || withoutModel !== null
  if (isApart) logger.info('the judge scores in its own process while the policy samples')
  const adapted = await adapterToTrain(policyFolder, adapter)
  const trained = adapted === undefined ? 'weights' : 'adapter'
  noteRun(node, { role: 'solver', trained, model: model ?? null, device })
  const unpaid = await unpaidSolver(adapted, environment, options.served !== undefined)
  if (unpaid !== null)
    logger.warn('its answers earn nothing: the policy learns, and nothing is committed', { reason: unpaid })
  else if (adapted !== undefined && environment.spec.bases?.length !== 1)
    logger.warn('several bases are paid: a round counts 0 unless most of its committee holds the base of this solver')
  const pusher = options.push && createPusher(node, options.push, { data, policyFolder })
  const served = options.served && createServedSampler(node, policy, options.served, { data, policyFolder })
  const { appeals: maxAppeals, nectarPrice, bets: perGame } = settings
  const duties = [
    showDemanded(node, 'own'),
    appealScores(node, { judge, reader: policy }, { maxAppeals, nectarPrice }),
    betOnGames(node, policy, { data, perGame }),
    runSolver(node, policy, judge, { data, trained, unpaid, datasetOf: index?.datasetOf, pusher, served, judgesApart }),
  ]
  await Promise.all(duties).finally(async () => {
    await pusher?.settled()
    await served?.close()
    await Promise.all([policy.close(), judging?.close()])
  })
}

const FILES = [
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'generation_config.json',
  'chat_template.jinja',
]

/** Copies a model's tokenizer next to the weights that are trained from it, so that the folder is a complete model. */
async function keepTokenizer(from: string, to: string): Promise<void> {
  makeFolder(to)
  for (const name of FILES)
    await copyFile(join(from, name), join(to, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
}
