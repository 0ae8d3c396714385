import type { ChatFolders } from '#environments/environmentKind.ts'
import type { EnvironmentSpec } from '#environments/environmentSpec.ts'
import type { Device } from '#model/devices.ts'
import type { NamedDataset } from './datasets/datasetIndex.ts'
import type { AskedAdapter } from './models/adapterToTrain.ts'
import type { WorkerSettings } from './models/openModels.ts'
import type { PeerNode, PeerOptions } from './peerNode.ts'
import type { RoleName } from './roleName.ts'
import type { RoleSettings } from './roleSettings.ts'
import type { PushSettings } from './solver/pushPolicy.ts'
import type { ServedSettings } from './solver/servedSampler.ts'

export type RoleOptions = Omit<PeerOptions, 'environments' | 'follows'> & {
  role: RoleName
  settings: RoleSettings
  /** Device of generation, scoring and training. Sampling is checked on the CPU. */
  device: Device
  /** Chat models and the specification that they are for; undefined for the starter models. */
  chat: (ChatFolders & { spec: EnvironmentSpec }) | undefined
  /**
   * Proposer: a dataset, and the share of its tasks that come from it; with 1 no model is loaded. Solver: a dataset whose tasks are reported
   * separately.
   */
  dataset?: (NamedDataset & { share: number }) | undefined
  /** Proposer and solver: the adapter to train. Without it a proposer's model is frozen, and a solver trains as `usualAdapter` says. */
  adapter?: AskedAdapter | undefined
  /** Name of the trained model in figures; undefined for the starter models. */
  model?: string | undefined
  /** Solver: a server that samples its answers, which are not paid then. */
  served?: ServedSettings | undefined
  /** Solver: where and how often its policy is published. */
  push?: PushSettings | undefined
  /** Webhooks for alerts; each URL is a credential. */
  alertUrls?: readonly string[]
}

/** The settings of a role's model worker. */
export function workerOf(node: PeerNode, { settings, device }: RoleOptions): WorkerSettings {
  return {
    ...{ threads: settings.threads, device, crashed: node.workerRestarts.restarted },
    slow: (operation, seconds) => node.logger.info('the model worker is still at work', { operation, seconds }),
  }
}
