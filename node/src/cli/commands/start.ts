import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { feeSettings } from '#chain/outbox/feeSettings.ts'
import { networkClock, systemClock } from '#core/clock.ts'
import type { Logger } from '#core/logger.ts'
import { urlSecrets } from '#core/redactUrls.ts'
import { isRepoName } from '#hub/repoReference.ts'
import type { Device } from '#model/devices.ts'
import { networkSettings } from '#p2p/networkConfig.ts'
import type { AskedAdapter } from '#roles/models/adapterToTrain.ts'
import { roleNames } from '#roles/roleName.ts'
import { roleSettings } from '#roles/roleSettings.ts'
import type { PushSettings } from '#roles/solver/pushPolicy.ts'
import { SETTINGS_FILE } from '#store/folderNames.ts'
import { openIdentity } from '#store/identity.ts'
import { defaultQuotas, type QuotaLimits } from '#store/payloadQuota.ts'
import { defineCommand } from '../defineCommand.ts'
import type { Finding } from '../doctor/finding.ts'
import { environment } from '../environment.ts'
import { type ChatModels, openChatModels, openGenerating } from '../models/chatModels.ts'
import { openLog } from '../openLog.ts'
import { folderSetting } from '../options/commonSettings.ts'
import { type Config, loadConfig } from '../options/config.ts'
import { openDatasetPath } from '../options/datasetPath.ts'
import { openHub } from '../options/modelOptions.ts'
import { openDeployment } from '../options/networkOptions.ts'
import { openDevice } from '../options/openDevice.ts'
import { requireFitting } from '../options/requireFitting.ts'
import { pickSettings } from '../options/settingOptions.ts'
import { DATASET_SHARE, PUSH_EVERY, peerSettings } from '../options/settings.ts'
import { stopSignal } from '../untilInterrupted.ts'
import { UsageError } from '../usageError.ts'

/** Runs a peer until it is stopped. */
export const start = defineCommand({
  usage: 'npx waggle start --role ROLE [OPTIONS]',
  about: `Ctrl-C stops it; the next start resumes. Settings can also be in DIR/${SETTINGS_FILE}, one per line, named like the options (listen, announce and bootnodes are lists there).

WAGGLE_ALERT_URL holds webhooks, which are called when the peer falls behind, earns nothing, or runs out of funds, disk space or peers.`,
  own: {},
  peer: { ...folderSetting, ...peerSettings },
  run: (_, __, flags) => startPeer(loadConfig(flags)),
})

/**
 * Runs a peer until it is stopped.
 *
 * @throws {UsageError} if the settings cannot be combined.
 */
export async function startPeer(config: Config): Promise<void> {
  const { role } = config
  if (role === undefined) throw new UsageError('No role.', { hint: `Name one with --role: ${roleNames.join(', ')}.` })
  requireFitting(config)
  const { deployment, rpcUrl, patience } = openDeployment(config)
  const alertUrls = environment.alertUrls()
  const signal = stopSignal()
  const chat = await openChatModels(config, signal, role)
  const dataset = await openDataset(config, signal)
  const device = await openDevice(config.device, chat !== undefined)
  const memory = chat && (await memoryOf(config, chat, device))
  await payBySponsor(config, { deployment, rpcUrl, patience }, signal)
  // After the checks above: models and network take a second to load.
  const { startRole } = await import('#roles/startRole.ts')
  await startRole({
    role,
    deployment,
    rpcUrl,
    data: config.data,
    network: pickSettings(config, networkSettings),
    settings: pickSettings(config, roleSettings),
    quotas: quotasOf(config),
    fees: pickSettings(config, feeSettings),
    dataset,
    model: modelName(config.proposer ?? config.model),
    alertUrls,
    adapter: askedAdapter(config),
    served: openGenerating(config, signal),
    push: pushSettings(config, deployment.network, signal),
    device,
    chat,
    clock: systemClock,
    networkClock,
    openLogger: identity => {
      const secrets = [...keySecrets(), ...urlSecrets(alertUrls.join())]
      const logger = openLog(config, identity, { role, rpcUrl, secrets })
      if (memory) tellMemory(logger, memory)
      return logger
    },
    signal,
  })
}

/** Compares the models' memory with what is free here and with what the GPU has, before any is loaded. */
async function memoryOf(
  { role, judge, proposer, lora, 'lora-base': loraBase, appeals, bets }: Config,
  { spec, modelFolder: model, proposerFolder, judgeFolder, baseFolders: bases }: ChatModels,
  device: Device,
): Promise<Finding> {
  const { readMachineMemory } = await import('../join/machineMemory.ts')
  const { checkModelMemory } = await import('../doctor/checkModel.ts')
  const asked = {
    role,
    model,
    bases,
    proposer: proposerFolder ?? proposer,
    judge: judgeFolder ?? judge,
    lora,
    loraBase,
    appeals,
    bets,
  }
  return checkModelMemory(spec, asked, await readMachineMemory(device))
}

/** Only an estimate, so the peer starts anyway. */
function tellMemory(logger: Logger, { state, found, advice }: Finding): void {
  if (state === 'ok') logger.info('memory of the models', { found })
  else logger.warn('the memory may not be enough for the models', { found, advice })
}

/** Asks the configured sponsor to register a peer without funds. */
async function payBySponsor(
  { sponsor: url, data }: Config,
  chain: ReturnType<typeof openDeployment>,
  signal: AbortSignal,
): Promise<void> {
  if (url === undefined) return
  const { askSponsor } = await import('#roles/sponsor/askSponsor.ts')
  const [identity, token] = [await openIdentity(data), environment.sponsorToken()]
  await askSponsor({ url, token, ...chain, identity, clock: systemClock, signal })
}

/** A model's name in figures: a folder's own name, without its path. */
function modelName(model: string | undefined): string | undefined {
  return model !== undefined && existsSync(model) ? basename(model) : model
}

/** Local path of the dataset that a proposer proposes from, or whose tasks a solver reports separately; undefined if none is set. */
async function openDataset(
  { dataset, 'dataset-share': share = DATASET_SHARE, models, hub }: Config,
  signal: AbortSignal,
) {
  if (dataset === undefined) return undefined
  const path = await openDatasetPath(dataset, { models, hub }, signal)
  return { path, name: existsSync(dataset) ? basename(dataset) : dataset, share }
}

/** Repository to which a solver's policy is published; undefined if `--push` is not set. */
function pushSettings(config: Config, network: string, signal: AbortSignal): PushSettings | undefined {
  const { push: repo, 'push-every': every = PUSH_EVERY, model } = config
  if (repo === undefined) return undefined
  const [name = ''] = model?.split('@') ?? []
  const baseModel = isRepoName(name) && !existsSync(name) ? name : null
  return { client: openHub(config, signal), repo, every, baseModel, network }
}

/** A server may echo secrets in its answers. */
function keySecrets(): string[] {
  return [environment.serverKey(), environment.hubToken()].filter(key => key !== undefined)
}

function quotasOf(config: Config): QuotaLimits {
  const [totalBytes, peerBytes] = [config['keep-mb'] * 2 ** 20, config['keep-peer-mb'] * 2 ** 20]
  return { ...defaultQuotas, totalBytes, peerBytes }
}

/** Settings of the adapter that a solver or a proposer trains; undefined if none is set. */
function askedAdapter(config: Config): AskedAdapter | undefined {
  const targets = config['lora-targets']?.split(',')
  const asked = { rank: config.lora, alpha: config['lora-alpha'], targets, base: config['lora-base'] }
  return Object.values(asked).every(value => value === undefined) ? undefined : asked
}
