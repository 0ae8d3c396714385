import { resolve } from 'node:path'
import { z } from 'zod'
import { systemClock } from '#core/clock.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import { createChatServer } from '#hub/chatServer/chatServer.ts'
import { createCompletionServer } from '#hub/chatServer/completionServer.ts'
import { isServerUrl, parseServerUrl } from '#hub/chatServer/serverAddress.ts'
import type { RoleName } from '#roles/roleName.ts'
import type { ServedSettings } from '#roles/solver/servedSampler.ts'
import { environment } from '../environment.ts'
import { type HubSettings, openModel } from '../options/modelOptions.ts'
import { readNamedFile } from '../options/readNamedFile.ts'
import { UsageError } from '../usageError.ts'
import { runCode } from './runCode.ts'

/** The largest specification has a few kB. */
const MAX_SPEC_BYTES = 1 << 18
/** Issues of a file that are printed. */
const MAX_ISSUES = 5

/** Roles that score nothing: the frozen evaluator is neither asked for nor downloaded. */
export const withoutJudge: readonly RoleName[] = ['proposer', 'gateway', 'judge']

export type ChatSettings = HubSettings & {
  environment?: string | undefined
  model?: string | undefined
  /** Further bases over which adapters are checked. */
  bases?: readonly string[] | undefined
  proposer?: string | undefined
  judge?: string | undefined
  generate?: string | undefined
  'generate-adapters'?: string | undefined
  threads?: number | undefined
}

export type ChatModels = NonNullable<Awaited<ReturnType<typeof openChatModels>>>

/**
 * The chat models that `start` was given; undefined if none, so that the starter models are used.
 *
 * @param role - that uses them; without it any role may.
 * @throws {UsageError} if the options cannot be combined, or the file is not a specification.
 */
export async function openChatModels(settings: ChatSettings, signal: AbortSignal, role?: RoleName) {
  const { environment: specification, model, proposer } = settings
  if ([specification, model, proposer, settings.judge, settings.generate].every(said => said === undefined))
    return undefined
  if (specification === undefined || model === undefined)
    throw new UsageError(`--${specification === undefined ? 'environment' : 'model'} is missing.`, {
      hint: 'A peer of chat models needs --environment FILE (npx waggle environment create makes one) and --model PATH_OR_REPO.',
    })
  const spec = await readSpec(specification)
  const { kindOf } = await import('#environments/builtIn.ts')
  const { needsJudge, judgeOf } = kindOf(spec)
  const mayJudge = role === undefined || !withoutJudge.includes(role)
  const judge = mayJudge ? (settings.judge ?? judgeOf(spec)) : null
  if (judge === null && needsJudge && mayJudge)
    throw new UsageError('The environment does not say where its judge model is.', {
      hint: 'Name it with --judge PATH_OR_REPO, or the URL of a server.',
    })
  const modelFolder = await openModel(model, settings, signal)
  const isServed = proposer !== undefined && isServerUrl(proposer)
  const proposerFolder = proposer === undefined || isServed ? undefined : await openModel(proposer, settings, signal)
  const proposerServer = isServed ? openServer(proposer, signal) : undefined
  const baseFolders: string[] = []
  for (const base of settings.bases ?? []) baseFolders.push(await openModel(base, settings, signal))
  const opened = { spec, modelFolder, proposerFolder, proposerServer, baseFolders }
  if (judge !== null && isServerUrl(judge)) {
    if (!needsJudge) throw new UsageError('This environment has no judge model.', { hint: 'Leave out --judge.' })
    const { threads = 2 } = settings
    return { ...opened, judgeFolder: null, judgeServer: { ...openServer(judge, signal), runCode, threads } }
  }
  const judgeFolder = judge === null ? null : await openModel(judge, settings, signal)
  return { ...opened, judgeFolder, judgeServer: undefined }
}

function openServer(url: string, signal: AbortSignal) {
  return createChatServer(serverOptions(url, signal))
}

/** The server that samples a solver's answers; undefined if the policy samples here. */
export function openGenerating(
  { generate, 'generate-adapters': adapters }: ChatSettings,
  signal: AbortSignal,
): ServedSettings | undefined {
  if (generate === undefined) return undefined
  return { server: createCompletionServer(serverOptions(generate, signal)), adapters: adapters && resolve(adapters) }
}

function serverOptions(url: string, signal: AbortSignal) {
  const key = environment.serverKey()
  return { address: parseServerUrl(url, key !== undefined), key, clock: systemClock, signal }
}

/** @throws {UsageError} if the file holds no specification, or one whose fields are out of their bounds or contradict each other. */
export async function readSpec(path: string): Promise<EnvironmentSpec> {
  const { parseSpec } = await import('#environments/builtIn.ts')
  const text = readNamedFile(path, MAX_SPEC_BYTES)
  try {
    return parseSpec(JSON.parse(text.replace(/^\uFEFF/, '')))
  } catch (cause) {
    const issues = cause instanceof z.ZodError ? cause.issues : [{ path: [], message: (cause as Error).message }]
    const told = issues.slice(0, MAX_ISSUES).map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`)
    throw new UsageError(`${path} is not an environment's specification: ${told.join('; ')}.`, {
      hint: 'Start from a file that npx waggle environment create wrote. A swarm that plays has the hash of its file on the chain, and all its peers use that file as it is.',
      cause,
    })
  }
}
