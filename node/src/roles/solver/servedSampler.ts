import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { NodeError } from '#base/errors.ts'
import { withDeadline } from '#core/deadline.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import { ChatServerError } from '#hub/chatServer/chatServerError.ts'
import type { CompletionServer } from '#hub/chatServer/completionServer.ts'
import { readJsonFile } from '#model/files/jsonFile.ts'
import { parseLoraConfig } from '#model/lora/loraConfig.ts'
import { openTokenizer, type TokenizerClient } from '#model/tokenizers/tokenizerClient.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import { asDiskFull, DiskFullError } from '#store/diskSpace.ts'
import type { RoundRules } from '../draws/checkRollouts.ts'
import type { PeerNode } from '../peerNode.ts'
import { type ServedAnswers, servedAnswers } from './servedAnswers.ts'
import type { SolverReport } from './solverReport.ts'

/** Files of an adapter in PEFT's format. */
const FILES = ['adapter_config.json', 'adapter_model.safetensors'] as const

type HandOverModules = {
  server: Pick<CompletionServer, 'models' | 'loadAdapter' | 'unloadAdapter'>
  policy: Pick<PolicyClient, 'weightsHash'>
  logger: Pick<Logger, 'info' | 'warn'>
  peerKey: PeerKey
  /** Folder of the adapter that the policy saved last. */
  policyFolder: string
  /** Folder that the server reads too, under the same path. */
  sharedFolder: string
}

type HandOver = {
  /**
   * Loads the saved policy into the server, if it is not loaded yet. Server errors and a full disk do not fail the round.
   *
   * @param until - the server is not waited for longer.
   * @returns the name for requests: that of an older policy if the server did not accept this one, and null for the server's own model.
   */
  now(until: AbortSignal): Promise<{ adapter: string | null; isCurrent: boolean }>
}

/** Loads a solver's adapters into the server that samples for it, each under its own name, and then unloads the previous one. */
export function createHandOver(modules: HandOverModules): HandOver {
  const { server, policy, logger, peerKey, policyFolder, sharedFolder } = modules
  const own = `waggle-${peerKey.slice(2, 18)}-`
  let served: string | null = null

  async function writeShared(name: string): Promise<string> {
    const [folder, unfinished] = [join(sharedFolder, name), join(sharedFolder, `.${name}`)]
    if (existsSync(folder)) return folder
    try {
      await mkdir(unfinished, { recursive: true })
      for (const file of FILES) await copyFile(join(policyFolder, file), join(unfinished, file))
      await rename(unfinished, folder)
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true })
      throw asDiskFull(error, sharedFolder)
    }
    return folder
  }

  /** Unloads earlier adapters, including those of earlier runs of this peer; what fails or is late is left to the next round. */
  async function takeBackAllBut(name: string, listed: readonly string[], until: AbortSignal): Promise<void> {
    const leave = (error: unknown) => {
      if (!(error instanceof ChatServerError) && error !== until.reason) throw error
    }
    for (const one of listed)
      if (one.startsWith(own) && one !== name) await server.unloadAdapter(one, until).catch(leave)
    for (const one of await readdir(sharedFolder))
      if (one.replace(/^\./, '').startsWith(own) && one !== name)
        await rm(join(sharedFolder, one), { recursive: true, force: true })
  }

  async function serve(name: string, until: AbortSignal): Promise<void> {
    await mkdir(sharedFolder, { recursive: true })
    const listed = await server.models(until)
    if (!listed.includes(name)) {
      // A restarted server has lost its adapters.
      if (served !== null && !listed.includes(served)) served = null
      await server.loadAdapter(name, await writeShared(name), until)
      logger.info('the adapter was handed over', { adapter: name })
    }
    served = name
    await takeBackAllBut(name, listed, until)
  }

  return {
    async now(until) {
      // Before the first update there is nothing to load: a fresh adapter's product is zero.
      if (!existsSync(join(policyFolder, FILES[0]))) return { adapter: null, isCurrent: true }
      const name = `${own}${(await policy.weightsHash()).slice(2, 18)}`
      try {
        await serve(name, until)
      } catch (error) {
        const isFull = error instanceof DiskFullError
        if (!(error instanceof ChatServerError || isFull || error === until.reason)) throw error
        const about = { adapter: name, sharedFolder, error, advice: await adviceOn(error, policyFolder) }
        logger.warn('the server did not take the adapter, and samples by an older policy', about)
      }
      return { adapter: served, isCurrent: served === name }
    },
  }
}

/** The server's reason is not known: errors hold no text of a server. */
async function adviceOn(error: unknown, policyFolder: string): Promise<string> {
  const isRefusal = error instanceof ChatServerError && error.code === 'SERVER_REFUSED'
  if (error instanceof NodeError && !isRefusal) return error.hint
  if (!isRefusal) return 'The server is given the adapter again in the next round.'
  const path = join(policyFolder, FILES[0])
  const { rank } = parseLoraConfig(await readJsonFile(path), path)
  return `Start vLLM with --enable-lora, --max-lora-rank ${rank} or higher, VLLM_ALLOW_RUNTIME_LORA_UPDATING=1 and that folder in its reach.`
}

/** A server that samples a solver's answers, and the folder of its adapters. */
export type ServedSettings = {
  readonly server: CompletionServer
  /** Folder that the server reads under the same path; if undefined, `served` in the peer's folder. */
  readonly adapters: string | undefined
}

export type ServedSampler = {
  /** The owed answers of a round, by the current policy if the server has it. @param until - later answers are missing. */
  answer(
    round: number,
    rules: RoundRules,
    until: AbortSignal,
  ): Promise<ServedAnswers & Required<Pick<SolverReport, 'sampledBy'>>>
  /** Called after an update; a slow server gets the adapter before the next answers. */
  handOver(): Promise<void>
  close(): Promise<void>
}

/** The next round waits for it. */
const HAND_OVER_MS = 60_000

/** @param data - the peer's folder. @param policyFolder - where the policy is saved. */
export function createServedSampler(
  { identity: { peerKey }, chainId, environment, logger, signal }: PeerNode,
  policy: PolicyClient,
  { server, adapters }: ServedSettings,
  { data, policyFolder }: { data: string; policyFolder: string },
): ServedSampler {
  let tokenizer: Promise<TokenizerClient> | undefined
  const sharedFolder = adapters ?? join(data, 'served')
  const handOver = createHandOver({ server, policy, logger, peerKey, policyFolder, sharedFolder })
  const modules = {
    server,
    logger,
    tokenizer() {
      tokenizer ??= openTokenizer(environment.solverFolder)
      return tokenizer
    },
  }
  return {
    async answer(round, rules, until) {
      const { adapter, isCurrent } = await handOver.now(until)
      const answers = await servedAnswers(modules, { chainId, round, peerKey, adapter, until }, rules)
      signal.throwIfAborted()
      return { ...answers, sampledBy: isCurrent ? 'this policy' : 'an older policy' }
    },
    async handOver() {
      await handOver.now(withDeadline(signal, HAND_OVER_MS))
      signal.throwIfAborted()
    },
    close: async () => (await tokenizer)?.close(),
  }
}
