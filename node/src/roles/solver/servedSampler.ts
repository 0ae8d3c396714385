import { join } from 'node:path'
import { withDeadline } from '#core/deadline.ts'
import type { CompletionServer } from '#hub/chatServer/completionServer.ts'
import { openTokenizer, type TokenizerClient } from '#model/tokenizers/tokenizerClient.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import type { RoundRules } from '../draws/checkRollouts.ts'
import type { PeerNode } from '../peerNode.ts'
import { createHandOver } from './handOver.ts'
import { type ServedAnswers, servedAnswers } from './servedAnswers.ts'
import type { SolverReport } from './solverReport.ts'

/** A server that samples a solver's answers, and where its adapters are handed over. */
export type ServedSettings = {
  readonly server: CompletionServer
  /** That the server reads under the same path; `served` in the peer's folder without it. */
  readonly adapters: string | undefined
}

export type ServedSampler = {
  /** The answers that are owed in a round, by the policy as it is if the server has it. @param until - later answers are missing. */
  answer(
    round: number,
    rules: RoundRules,
    until: AbortSignal,
  ): Promise<ServedAnswers & Required<Pick<SolverReport, 'sampledBy'>>>
  /** After an update; a server that is slow gets it before the next answers. */
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
