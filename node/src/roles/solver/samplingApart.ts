import { availableParallelism } from 'node:os'
import { WorkerError } from '#core/threads/sentError.ts'
import { type Device, freeMemory } from '#model/devices.ts'
import { openLastingPolicy } from '#rl/policy/lastingPolicy.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'
import type { Published } from '#rl/policy/policyProtocol.ts'
import { isPaidAsAdapter } from '../models/adapterToTrain.ts'
import type { WorkerSettings } from '../models/openModels.ts'
import type { PeerNode } from '../peerNode.ts'
import type { NamedPolicy } from './namePolicy.ts'

/** A process that samples for a solver whose policy learns meanwhile in its own. */
export type SamplingApart = {
  /** The policy as it is now, which samples there whatever is learned here; null once that process failed. */
  hold(): Promise<NamedPolicy | null>
  close(): Promise<void>
}

type Machine = {
  cores: number
  /** Of memory, once the policy is loaded. */
  freeBytes: number
}

type Sampled = {
  threads: number
  device: Device
  trained: 'weights' | 'adapter'
  /** Of the model that samples. */
  parameters: number
}

/** Node.js, ONNX Runtime, keys and values. */
const BESIDE_WEIGHTS = 2 ** 30

/** As much has to be left for the steps that are taken meanwhile. */
const SHARE_OF_FREE = 0.5

/** Why a policy samples and learns one after the other on a machine; null where it can do both at once. */
export function whyTogether({ cores, freeBytes }: Machine, model: Sampled): string | null {
  const { threads, device, trained, parameters } = model
  if (device !== 'cpu') return 'a GPU is one for both'
  if (2 * threads >= cores) return `two times ${threads} threads and the network take more than ${cores} cores`
  if (trained === 'weights' && isPaidAsAdapter(parameters)) return 'all weights are too large to hand over each round'
  const bytes = BESIDE_WEIGHTS + Float32Array.BYTES_PER_ELEMENT * parameters
  if (bytes <= SHARE_OF_FREE * freeBytes) return null
  return `${mebibytes(bytes / SHARE_OF_FREE)} of memory have to be free, and ${mebibytes(freeBytes)} are`
}

/**
 * Opens the process where the machine has cores and memory for both.
 *
 * @param policy - that learns.
 * @param open - starts the process.
 */
export function openSamplingApart(
  node: Pick<PeerNode, 'environment' | 'logger' | 'signal'>,
  policy: PolicyClient,
  model: Sampled & Pick<WorkerSettings, 'crashed' | 'slow'>,
  machine: Machine = { cores: availableParallelism(), freeBytes: freeMemory() },
  open: typeof openLastingPolicy = openLastingPolicy,
): SamplingApart | null {
  const { threads, device, crashed, slow } = model
  const why = whyTogether(machine, model)
  if (why !== null) {
    node.logger.debug('it samples first, and learns after that', { why })
    return null
  }
  node.logger.info('it learns while a second process samples', { threads, ...machine })
  const { solverFolder: base } = node.environment
  const apart = open({ threads, device }, { crashed, slow })
  let hasFailed = false

  async function sample(from: Published, request: Parameters<PolicyClient['generatePublished']>[1]) {
    try {
      return await apart.generatePublished(from, request)
    } catch (error) {
      if (!(error instanceof WorkerError) || node.signal.aborted) throw error
      hasFailed = true
      node.logger.warn('the process that samples failed: from now on it samples first, and learns after that', {
        error,
      })
      return policy.generatePublished(from, request)
    }
  }

  return {
    async hold() {
      if (hasFailed) return null
      const [hash, bytes] = [await policy.weightsHash(), await policy.publish()]
      return {
        weightsHash: async () => hash,
        publish: async () => bytes,
        generate: request => sample({ policy: bytes, base }, request),
        generatePublished: sample,
      }
    },
    close: () => apart.close(),
  }
}

const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`
