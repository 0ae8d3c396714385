import { resolve } from 'node:path'
import { openChatModels } from '../../node/src/cli/chatModels.ts'
import { loadEnvironment, loadEnvironments } from '../../node/src/environments/builtIn.ts'
import type { Environment } from '../../node/src/environments/environment.ts'
import type { SwarmOptions } from './options.ts'

/** What a swarm plays. */
export interface Played {
  environment: Environment
  /** For `waggle start` and `waggle eval`: where the specification and the models are. */
  argv: string[]
  /** For solvers besides. */
  solverArgv: string[]
}

/** Fetches models that are on the hub, once for all peers. @throws {UsageError} if the options cannot be combined. */
export async function playedEnvironment(options: SwarmOptions, signal: AbortSignal): Promise<Played> {
  const { environment: path, model, judge, lora, 'lora-base': base } = options
  const chat = path === undefined ? undefined : await openChatModels({ environment: path, model, judge }, signal)
  if (path === undefined || chat === undefined)
    return { environment: (await loadEnvironments())[options.preset], argv: [], solverArgv: [] }
  const argv = ['--environment', resolve(path), '--model', resolve(chat.modelFolder)]
  if (chat.judgeFolder !== null) argv.push('--judge', resolve(chat.judgeFolder))
  const solverArgv = lora === undefined ? [] : ['--lora', String(lora), ...(base ? ['--lora-base', base] : [])]
  return { environment: await loadEnvironment(chat.spec, chat), argv, solverArgv }
}
