import { isServerUrl } from '#hub/chatServer/serverAddress.ts'
import type { RoleName } from '#roles/roleName.ts'
import { judgeOf } from '../join/modelParameters.ts'
import { readSpec } from '../models/chatModels.ts'
import type { Config } from '../options/config.ts'
import { DATASET_SHARE } from '../options/settings.ts'

/**
 * Whether a peer runs a model on a GPU, by its settings.
 *
 * @throws {UsageError} if the file of its environment cannot be read.
 */
export async function usesGpu(config: Config): Promise<boolean> {
  const { role, device, environment } = config
  // The starter models run on the CPU unless a device is named.
  if (role === undefined || device === 'cpu' || (device === 'auto' && environment === undefined)) return false
  return modelOnDevice[role](config)
}

/** Whether a role loads a model on its device. */
const modelOnDevice: Readonly<Record<RoleName, (config: Config) => boolean | Promise<boolean>>> = {
  // Also if a server samples its answers: the adapter is trained here.
  solver: () => true,
  proposer: ({ proposer, dataset, 'dataset-share': share = DATASET_SHARE }) =>
    !(dataset !== undefined && share === 1) && !(proposer !== undefined && isServerUrl(proposer)),
  // Sampling is checked on the CPU.
  evaluator: judgesHere,
  auditor: judgesHere,
  judge: () => false,
  gateway: () => false,
}

async function judgesHere({ environment, judge: said }: Config): Promise<boolean> {
  if (environment === undefined) return true
  const judge = judgeOf(await readSpec(environment), said)
  return judge !== undefined && !isServerUrl(judge)
}
