import { NodeError } from '#base/errors.ts'
import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { readPeers } from '#chain/peers/readPeers.ts'
import { createChainReads } from '#chain/reads.ts'
import { createRoundClock } from '#chain/rounds/roundClock.ts'
import { contentId } from '#core/contentId.ts'
import type { ContentId, PeerKey } from '#core/hashes.ts'
import { unpackSequence } from '#core/payloads/packedTokens.ts'
import { payloadsHere, type RolloutBundle } from '#core/payloads/payloads.ts'
import { peerName } from '#core/peers/peerName.ts'
import { yieldToEventLoop } from '#core/threads/yieldToEventLoop.ts'
import type { PromptFormat } from '#environments/promptFormat.ts'
import { openPayloads, type PayloadSources } from '../audit/openPayloads.ts'
import { openCommitted } from '../fetch/fetchCommitted.ts'
import type { PeerResult } from '../fetch/peerResult.ts'
import { findPeer } from '../findPeer.ts'

/** A peer's rollouts of a round are unavailable. */
export class BundleUnavailableError extends NodeError {
  override readonly code = 'BUNDLE_UNAVAILABLE'
}

/** A bundle's header, and where it differs from the chain. */
type BundleCheck = {
  round: number
  peerKey: PeerKey
  name: string
  leaves: number
  contentId: ContentId
  /** One for each difference; empty if the bundle matches the commitment. */
  findings: string[]
}

function hintOf(found: PeerResult<Uint8Array>, isPublic: boolean): string {
  if (!isPublic) return 'Answers are public from the end of their round.'
  return found.ok ? 'The kept payload differs from its commitment.' : `${found.reason}.`
}

/** Reads what solvers committed to: from a folder, or else from the peers that keep it. */
export async function openBundleReader(sources: PayloadSources) {
  const { deployment, rpcUrl, patience, signal } = sources
  const { chainId } = deployment
  const chain = await connectChain({ rpcUrl, deployment, patience })
  const contracts = contractsOf(deployment)
  const reads = createChainReads(chain, contracts)
  const { round: currentRound } = await createRoundClock(chain, contracts).read()
  const payloads = await openPayloads(sources, reads, () => currentRound)

  return {
    /**
     * The bytes of a peer's rollouts, verified against its commitment.
     *
     * @param asked - the peer, by its three words, peer id or key.
     * @throws {BundleUnavailableError} if it committed nothing, or the bundle is unavailable.
     */
    async get(round: number, asked: string): Promise<{ bytes: Uint8Array; payload: RolloutBundle }> {
      const { peerKey } = findPeer(await readPeers(chain, contracts), asked)
      const commitment = (await reads.readRolloutCommitments(round)).find(one => one.peerKey === peerKey)
      if (commitment === undefined)
        throw new BundleUnavailableError(`${asked} committed to nothing in round ${round}.`, {
          hint: 'npx waggle why shows what happened to its work.',
        })
      const found = await payloads.fetch({ kind: 'rollouts', round, contentId: commitment.contentId, peerKey }, signal)
      const opened = found.ok ? await openCommitted(payloadsHere, found.value, { chainId, round }, commitment) : null
      if (!found.ok || opened === null || typeof opened === 'string')
        throw new BundleUnavailableError(`No peer serves the rollouts of ${asked} in round ${round}.`, {
          hint: hintOf(found, round < currentRound),
          retryable: true,
        })
      return { bytes: found.value, payload: opened.payload }
    },
    /** @throws {BundleUnavailableError} if the bytes are not rollouts at all. */
    async verify(bytes: Uint8Array): Promise<BundleCheck> {
      const opened = await payloadsHere.open('rollouts', bytes)
      if (opened === null)
        throw new BundleUnavailableError('This is not a bundle of rollouts.', {
          hint: 'Give a file that npx waggle bundle get wrote.',
        })
      const { payload, tree } = opened
      const { round, peerKey } = payload
      const id = contentId(bytes)
      const findings: string[] = []
      if (payload.chainId !== chainId) findings.push(`it is of chain ${payload.chainId}, and this is ${chainId}`)
      const commitment = (await reads.readRolloutCommitments(round)).find(one => one.peerKey === peerKey)
      const leaves = (tree.length + 1) / 2
      if (commitment === undefined) findings.push(`its peer committed to nothing in round ${round}`)
      else {
        const { root, count, contentId: committedId } = commitment
        if (root !== tree[0]) findings.push(`its leaves have the root ${tree[0]}, and ${root} was committed`)
        if (count !== leaves) findings.push(`it has ${leaves} leaves, and ${count} were committed`)
        if (committedId !== id) findings.push(`its content is ${id}, and ${committedId} was committed`)
      }
      const name = peerName((await reads.readPeerId(peerKey)) ?? peerKey)
      return { round, peerKey, name, leaves, contentId: id, findings }
    },
    close: () => payloads.close(),
  }
}

/** A rollout as other programs read it: text and token ids, with the log-probability of each. */
type BundleLine = {
  leaf: number
  /** Place of its task: the proposer's key, and its index in the proposal. */
  task: { proposer: PeerKey; index: number }
  text: string
  /** Whether it ended by itself, inside the limit. */
  ended: boolean
  promptTokens: number[]
  completionTokens: number[]
  logprobs: number[]
  temperature: number
}

/** Every rollout of a bundle, in the order of its leaves. */
export async function* bundleLines(
  { groups }: RolloutBundle,
  format: Pick<PromptFormat, 'completionText'>,
): AsyncGenerator<BundleLine> {
  for (const { taskRef, rollouts } of groups) {
    for (const rollout of rollouts) {
      const { promptTokens, completionTokens, logprobs } = unpackSequence(rollout)
      await yieldToEventLoop()
      yield {
        leaf: rollout.index,
        task: { proposer: taskRef.peerKey, index: taskRef.index },
        text: await format.completionText(completionTokens, rollout.ended),
        ended: rollout.ended,
        promptTokens: [...promptTokens],
        completionTokens: [...completionTokens],
        logprobs: [...logprobs],
        temperature: rollout.sampling.temperature,
      }
    }
  }
}
