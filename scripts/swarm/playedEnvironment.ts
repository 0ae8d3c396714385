import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { openChatModels } from '../../node/src/cli/models/chatModels.ts'
import { loadEnvironment, loadEnvironments } from '../../node/src/environments/builtIn.ts'
import type { Environment } from '../../node/src/environments/environment.ts'
import type { SwarmOptions } from './options.ts'

/** Environment of a swarm, with the options that its peers need. */
export interface Played {
  environment: Environment
  /** For `waggle start` and `waggle eval`: where the specification and the models are. */
  argv: string[]
  /** For solvers besides. */
  solverArgv: string[]
  /** For the proposer besides. */
  proposerArgv: string[]
}

/** Fetches models that are on the hub, once for all peers. @throws {UsageError} if the options cannot be combined. */
export async function playedEnvironment(options: SwarmOptions, signal: AbortSignal): Promise<Played> {
  const { environment: path, model, judge, proposer, lora, 'lora-base': base } = options
  const settings = { environment: path, model, judge, proposer }
  const chat = path === undefined ? undefined : await openChatModels(settings, signal)
  if (path === undefined || chat === undefined) {
    const environment = (await loadEnvironments())[options.preset]
    return {
      environment,
      ...{ argv: [], solverArgv: datasetArgv(options), proposerArgv: proposerArgv(options, undefined) },
    }
  }
  const environment = await loadEnvironment(chat.spec, chat)
  const proposing = proposerArgv(options, chat.proposerFolder)
  if (environment.proposals === null && proposing.length > 0)
    throw new Error(`--proposer and --dataset: the environment ${chat.spec.name} has no proposers`)
  const argv = ['--environment', resolve(path), '--model', resolve(chat.modelFolder)]
  const judging = chat.judgeServer === undefined ? chat.judgeFolder && resolve(chat.judgeFolder) : judge
  if (judging != null) argv.push('--judge', judging)
  const adapter = lora === undefined ? [] : ['--lora', String(lora), ...(base ? ['--lora-base', base] : [])]
  return { environment, argv, solverArgv: [...adapter, ...datasetArgv(options)], proposerArgv: proposing }
}

/** @param folder - of the model that proposes; a server or none otherwise. */
function proposerArgv(options: SwarmOptions, folder: string | undefined): string[] {
  const { proposer, 'dataset-share': share } = options
  const model = folder === undefined ? proposer : resolve(folder)
  return [
    ...(model === undefined ? [] : ['--proposer', model]),
    ...datasetArgv(options),
    ...(share === undefined ? [] : ['--dataset-share', String(share)]),
  ]
}

/** Solvers tell the figures of its tasks apart. */
function datasetArgv({ dataset }: SwarmOptions): string[] {
  if (dataset === undefined) return []
  return ['--dataset', existsSync(dataset) ? resolve(dataset) : dataset]
}
