import { join } from 'node:path'
import type { Clock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import type { Environment, Judge } from '#environments/environment.ts'
import { createCompletionServer } from '#hub/chatServer/completionServer.ts'
import { parseServerUrl } from '#hub/chatServer/serverAddress.ts'
import { groupStep } from '#rl/groupStep.ts'
import type { Policy } from '#rl/policy/policy.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import type { CheckedGroup, RoundRules } from '#roles/draws/checkRollouts.ts'
import type { PeerNode } from '#roles/peerNode.ts'
import { createLearner } from '#roles/solver/learner.ts'
import { learnRound } from '#roles/solver/learnRound.ts'
import { createQuarantine } from '#roles/solver/quarantine.ts'
import { createServedSampler } from '#roles/solver/servedSampler.ts'
import { createTrust } from '#roles/solver/trust.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'

type ServedScene = {
  environment: Environment
  policy: Policy
  /** URL of the server that samples. */
  url: string
  judge: Judge
  vocabSize: number
  peerKey: `0x${string}`
  clock: Clock
  logger: Logger
  /** Folder of the peer. */
  data: string
}

const { signal } = new AbortController()

async function* nobody() {}

/** A solver whose answers a server samples, without a chain and without other peers; its policy is in this process. */
export function openServedScene({
  environment,
  policy,
  url,
  judge,
  vocabSize,
  peerKey,
  clock,
  logger,
  data,
}: ServedScene) {
  const [policyFolder, shared] = [join(data, 'policy'), join(data, 'served')]
  const journal = createJournal(openDatabase(':memory:'), clock)
  const node = { identity: { peerKey }, chainId: 1, environment, logger, signal, journal, clock } as unknown as PeerNode
  const client = {
    weightsHash: () => policy.weightsHash(),
    policyStep: async (...step) => groupStep(policy.trainer, ...step),
    setbacks: () => 0,
  } as Pick<PolicyClient, 'weightsHash' | 'policyStep' | 'setbacks'> as PolicyClient
  const server = createCompletionServer({ address: parseServerUrl(url, false), clock })
  const learner = createLearner({ ...node, training: { note: () => {} } }, client, judge, 'adapter', undefined, false)
  const quarantine = createQuarantine({ journal, logger })
  const modules = { learner, quarantine, trust: createTrust({ journal }), logger, signal, vocabSize }
  const sampler = createServedSampler(node, client, { server, adapters: shared }, { data, policyFolder })
  return {
    ...{ sampler, policyFolder, shared },
    /** A round as the solver plays it: answers, an update, and the adapter handed over. */
    async play(round: number, rules: RoundRules) {
      const answered = await sampler.answer(round, rules, signal)
      const learned = await learnRound(modules, {
        round,
        spec: rules.spec,
        own: answered.groups,
        others: nobody(),
        until: signal,
      })
      await policy.save(policyFolder)
      if (learned.updates > 0) await sampler.handOver()
      return { ...answered, learned }
    },
  }
}

/** How far the server's log-probabilities are from those of the policy here, one distance a token. */
export async function claimErrors(policy: Policy, groups: readonly CheckedGroup[]): Promise<number[]> {
  const rollouts = groups.flatMap(group => group.rollouts)
  const sequences = rollouts.map(({ promptTokens, completionTokens }) => ({
    tokens: Int32Array.from([...promptTokens, ...completionTokens]),
    from: promptTokens.length,
  }))
  const scorer = await policy.openScorer()
  const scores = await scorer.score(sequences).finally(scorer.dispose)
  return rollouts.flatMap(({ logprobs }, i) =>
    [...logprobs].map((x, t) => Math.abs(x - (scores[i]?.logprobs[t] ?? Number.NaN))),
  )
}
