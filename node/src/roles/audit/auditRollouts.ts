import { phase } from '@waggle/deployments/protocol'
import type { NodeError } from '#base/errors.ts'
import { connectChain } from '#chain/connectChain.ts'
import { contractsOf } from '#chain/contracts.ts'
import { readPeers } from '#chain/peers/readPeers.ts'
import { createChainReads } from '#chain/reads.ts'
import { createRoundClock } from '#chain/rounds/roundClock.ts'
import type { PeerKey } from '#core/hashes.ts'
import { peerName } from '#core/peers/peerName.ts'
import { loadEnvironment, loadEnvironments } from '#environments/builtIn.ts'
import type { Environment } from '#environments/environment.ts'
import type { ChatFolders } from '#environments/environmentKind.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import type { Device } from '#model/devices.ts'
import { type AskedBases, holdBases } from '../checking/heldBases.ts'
import { findPeer } from '../findPeer.ts'
import { openJudge } from '../models/openModels.ts'
import { createAuditJudges } from './auditJudges.ts'
import { auditRound } from './auditRound.ts'
import { openPayloads, type PayloadSources } from './openPayloads.ts'

type RolloutQuestion = PayloadSources & {
  threads: number
  device: Device
  /** Folders of further bases over which adapters are checked, and the memory for them. */
  bases: AskedBases
  /** Waits for an unreachable endpoint instead of failing. */
  waitsOut: boolean
}

/** An endpoint at fault is often the only one. */
const REST_MS = 10_000

/** Recomputes scores from the rollouts: committed leaves, drawn by the beacon, scored by the frozen judge. */
export async function openRolloutAudit(question: RolloutQuestion) {
  const { deployment, rpcUrl, patience, environments, threads, device, clock, logger, signal } = question
  const { chainId } = deployment
  const follower = question.waitsOut ? { clock, logger, signal } : undefined
  const chain = await connectChain({ rpcUrl, deployment, ...(follower ? { follower } : { patience }) })
  const contracts = contractsOf(deployment)
  const reads = createChainReads(chain, contracts)
  const rounds = createRoundClock(chain, contracts)
  let { round: currentRound } = await rounds.read()
  const payloads = await openPayloads(question, reads, () => currentRound)
  const open = async (environment: Environment) => {
    const bases = await holdBases(environment, question.bases)
    const worker = { threads, device, residentBytes: bases.residentBytes, crashed: () => {}, slow: () => {} }
    return { ...(await openJudge(environment, worker)), bases }
  }
  const judges = createAuditJudges(open)
  const nameOf = async (key: PeerKey) => peerName((await reads.readPeerId(key)) ?? key)

  return {
    /** Resolves once the time to settle a round is over. */
    async waitFor(round: number): Promise<void> {
      currentRound = (await rounds.waitFor(round + phase.settling + 1, signal)).round
    },
    /**
     * Recomputes every score of a round, or that of one peer.
     *
     * @throws {AuditImpossibleError} if the round is void, or its environment is unknown here.
     */
    async audit(round: number, only: string | null) {
      const modules = { reads, chainId, environments, payloads, modelsOf: judges.of, nameOf, signal }
      const peerKey = only === null ? null : findPeer(await readPeers(chain, contracts), only).peerKey
      return auditRound(modules, round, peerKey)
    },
    /** The time before a round is read again that could not be read. */
    rest(round: number, cause: NodeError): Promise<void> {
      logger.warn('a round could not be read, and is read again', { round, error: cause })
      return clock.sleep(REST_MS, signal)
    },
    async close() {
      await payloads.close()
      await judges.close()
    },
  }
}

/** The rules that can be audited here: those of the given chat models, else of the starter models. */
export async function openEnvironments(chat: (ChatFolders & { spec: EnvironmentSpec }) | undefined) {
  return chat === undefined ? Object.values(await loadEnvironments()) : [await loadEnvironment(chat.spec, chat)]
}
