import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { systemClock } from '#core/clock.ts'
import { urlSecrets } from '#core/redactUrls.ts'
import { isServerUrl } from '#hub/chatServer/serverAddress.ts'
import { isRepoName } from '#hub/repoReference.ts'
import type { AskedAdapter } from '#roles/models/adapterToTrain.ts'
import { roleNames } from '#roles/roleName.ts'
import type { PushSettings } from '#roles/solver/pushPolicy.ts'
import { defaultQuotas, type QuotaLimits } from '#store/bodyQuota.ts'
import { SETTINGS_FILE } from '#store/folderNames.ts'
import { openIdentity } from '#store/identity.ts'
import type { Command } from '../command.ts'
import { environment } from '../environment.ts'
import { openChatModels, openGenerating } from '../models/chatModels.ts'
import { logOptions, logUsage, openLog } from '../openLog.ts'
import { type Config, loadConfig } from '../options/config.ts'
import { openDatasetPath } from '../options/datasetPath.ts'
import { hubOptions, hubUsage, openHub } from '../options/modelOptions.ts'
import { dataOption, dataUsage, networkOptions, networkUsage, openDeployment } from '../options/networkOptions.ts'
import { openDevice } from '../options/openDevice.ts'
import { reachOfConfig, reachOptions, reachUsage, settingsOf } from '../options/reachOptions.ts'
import { stopSignal } from '../untilInterrupted.ts'
import { UsageError } from '../usageError.ts'

const text = { type: 'string' } as const

/** Rounds from one push of a policy to the next. */
const PUSH_EVERY = 20

/** Everything that a peer is told. */
export const peerOptions = {
  ...dataOption,
  ...networkOptions,
  role: text,
  sponsor: text,
  ...reachOptions,
  level: text,
  dataset: text,
  'dataset-share': text,
  demands: text,
  appeals: text,
  'nectar-price': text,
  bets: text,
  http: text,
  'figures-of': { type: 'string', multiple: true },
  'keep-mb': text,
  'keep-peer-mb': text,
  threads: text,
  lora: text,
  'lora-alpha': text,
  'lora-targets': text,
  'lora-base': text,
  push: text,
  'push-every': text,
  ...hubOptions,
  device: text,
  environment: text,
  model: text,
  proposer: text,
  judge: text,
  generate: text,
  'generate-adapters': text,
  'metrics-port': text,
  ...logOptions,
} as const

/** Runs a peer until it is stopped. */
export const start: Command = {
  usage: `npx waggle start --role ROLE [OPTIONS]

Ctrl-C stops it; the next start resumes. Settings can also be in DIR/${SETTINGS_FILE}, one per line, named like the
options (listen, announce and bootnodes are lists there).

  --role ROLE         ${roleNames.join(', ')}
${dataUsage}
${networkUsage}
  --listen MULTIADDR  address to listen on, may be repeated (default /ip4/0.0.0.0/tcp/0, /ip6/::/tcp/0
                      and /p2p-circuit, a relay for peers that cannot be dialled)
${reachUsage}
  --sponsor URL       sponsor that pays for registration and gas if the account has no funds; WAGGLE_SPONSOR_TOKEN holds its
                      invitation, if it requires one
  --level N           proposer: hold the difficulty at this level
  --dataset PATH_OR_REPO
                      proposer: propose the tasks of a dataset (docs/guides/use-a-dataset.md); solver: report figures of its
                      tasks separately
  --dataset-share X   proposer: share of its tasks that come from the dataset (default 1: no model is loaded); its model
                      proposes the others, and dataset tasks replace its invalid ones
  --demands N         evaluator: maximum number of withheld leaves to demand per round, each with a bond (default 0)
  --appeals N         maximum number of automatic appeals, off for none (default 2). solver: wrong scores of a round, if the appeal
                      pays; auditor: wrong scores of a round, at any cost; evaluator: open appeals of verdicts against its votes
  --nectar-price X    price of a Nectar in the chain's coin, to decide whether an appeal pays (default 0.001)
  --bets N            solver: maximum stake in Nectar on a game of the market; it bets automatically by its model's beliefs;
                      off for none (default 1)
  --http N            gateway: port of its HTTP server on loopback (default 3001)
  --figures-of DIR    gateway: folder of your own solver, or proposer that learns, whose training figures it serves to the
                      dashboard; may be repeated
  --keep-mb N         disk space for the bundles of all peers, MiB (default 8192)
  --keep-peer-mb N    disk space for the bundles of one peer, MiB; its oldest bundles are deleted first (default 256)
  --environment FILE  specification of an environment of chat models (see npx waggle environment)
  --model PATH_OR_REPO
                      the chat model that solves: a folder, a GGUF file, or OWNER/NAME[@REVISION] on the Hugging Face hub; roles
                      that do not solve name one with the same tokenizer
  --proposer PATH_OR_REPO_OR_URL
                      proposer: the model that proposes, of any tokenizer, in 8 bits (default --model), or a server like
                      that of --judge; frozen unless --lora is given
  --judge PATH_OR_REPO_OR_URL
                      solver, evaluator, auditor: the frozen judge (default: the one that the specification names), or
                      http://HOST:PORT/v1#MODEL of an OpenAI-compatible server, with its key in OPENAI_API_KEY
  --generate URL      solver: sample its answers on a vLLM or llama.cpp server, named as for --judge. The adapter is trained here;
                      vLLM loads it after each update. Such answers cannot be checked: the solver learns, and earns nothing
  --generate-adapters DIR
                      with --generate: folder that the server reads under the same path (default served in the peer's folder)
${hubUsage}
  --device NAME       auto, cpu, webgpu or cuda: device for generation, scoring and training (default auto)
  --threads N         threads of a model's session (default 1)
  --lora RANK         solver: rank of the LoRA adapter to train; 0 trains all weights (default 16, or 0 for models small enough
                      to publish their weights whole). An adapter in the folder is resumed; contradicting options are refused.
                      proposer: train an adapter on the learnability of its tasks (default: the model is frozen; learning takes
                      4 to 6 times its memory)
  --lora-alpha N      alpha: updates are scaled by alpha / rank (default twice the rank)
  --lora-targets NAMES
                      modules with an adapter, separated by commas (default all linear modules of the layers)
  --lora-base NAME    float32 or int8: precision of the frozen layers under the adapter (default float32, for a proposer int8);
                      a solver over int8 learns but earns nothing
  --push OWNER/NAME   solver: publish what it learned on the Hugging Face hub, with a card that says where it comes from;
                      HF_TOKEN holds the access token
  --push-every N      with --push: rounds between two pushes (default 20)
  --metrics-port N    serve /health, /ready and Prometheus /metrics on this loopback port (default none)
${logUsage}

WAGGLE_ALERT_URL holds webhooks, which are called when the peer is behind, earns nothing, or lacks funds, disk space or peers.`,
  options: peerOptions,
  run: values => startPeer(loadConfig(settingsOf(values))),
}

/**
 * Runs a peer until it is stopped.
 *
 * @throws {UsageError} if the settings cannot be combined.
 */
export async function startPeer(config: Config): Promise<void> {
  const { role } = config
  if (role === undefined) throw new UsageError('No role.', { hint: `Name one with --role: ${roleNames.join(', ')}.` })
  const adapter = askedAdapter(config)
  if (adapter && role !== 'solver' && role !== 'proposer')
    throw new UsageError(`A ${role} trains no adapter.`, {
      hint: '--lora and what goes with it are for a solver or a proposer.',
    })
  checkProposerOptions(config)
  checkPushOptions(config)
  checkGenerateOptions(config)
  if (config['figures-of'].length > 0 && role !== 'gateway')
    throw new UsageError(`A ${role} serves no pages.`, { hint: '--figures-of is for a gateway.' })
  const { deployment, rpcUrl } = openDeployment(config)
  const alertUrls = environment.alertUrls()
  const signal = stopSignal()
  const chat = await openChatModels(config, signal, role)
  const dataset = await openDataset(config, signal)
  const device = await openDevice(config.device, chat !== undefined)
  await payBySponsor(config, { deployment, rpcUrl }, signal)
  // After the checks above: models and network take a second to load.
  const { startRole } = await import('#roles/startRole.ts')
  await startRole({
    role,
    deployment,
    rpcUrl,
    data: config.data,
    ...reachOfConfig(config),
    quotas: quotasOf(config),
    level: config.level,
    dataset,
    demands: config.demands,
    appeals: config.appeals,
    nectarPrice: config['nectar-price'],
    bets: config.bets,
    httpPort: config.http,
    figuresOf: config['figures-of'],
    model: modelName(config.proposer ?? config.model),
    metricsPort: config['metrics-port'],
    alertUrls,
    threads: config.threads,
    adapter,
    served: openGenerating(config, signal),
    push: pushSettings(config, deployment.network, signal),
    device,
    chat,
    clock: systemClock,
    openLogger: identity =>
      openLog(config, identity, { role, rpcUrl, secrets: [...keySecrets(), ...urlSecrets(alertUrls.join())] }),
    signal,
  })
}

/** Has the sponsor that is named register a peer without funds. */
async function payBySponsor(
  { sponsor: url, data, role }: Config,
  chain: ReturnType<typeof openDeployment>,
  signal: AbortSignal,
): Promise<void> {
  if (url === undefined) return
  if (role === 'gateway' || role === 'auditor')
    throw new UsageError(`A ${role} does not register.`, { hint: '--sponsor is for roles that do.' })
  const { askSponsor } = await import('#roles/sponsor/askSponsor.ts')
  const [identity, token] = [await openIdentity(data), environment.sponsorToken()]
  await askSponsor({ url, token, ...chain, identity, clock: systemClock, signal })
}

/** What a model is called in figures: of a folder its own name, and nothing of where it lies. */
function modelName(model: string | undefined): string | undefined {
  return model !== undefined && existsSync(model) ? basename(model) : model
}

function checkProposerOptions({ role, proposer, lora, dataset, 'dataset-share': share }: Config): void {
  if (proposer !== undefined && role !== 'proposer')
    throw new UsageError(`A ${role} proposes no tasks.`, { hint: '--proposer is for a proposer.' })
  if (dataset !== undefined && role !== 'proposer' && role !== 'solver')
    throw new UsageError(`A ${role} neither proposes nor learns.`, { hint: '--dataset is for a proposer or a solver.' })
  if (share !== undefined && role !== 'proposer')
    throw new UsageError(`A ${role} proposes no tasks.`, { hint: '--dataset-share is for a proposer.' })
  if (role === 'proposer' && lora !== undefined && lora > 0 && proposer !== undefined && isServerUrl(proposer))
    throw new UsageError('A model on a server stays frozen.', {
      hint: 'Leave out --lora, or name a model that runs here with --proposer.',
    })
  if (role === 'proposer' && lora !== undefined && lora > 0 && dataset !== undefined && (share ?? 1) === 1)
    throw new UsageError('No model proposes, so none learns.', {
      hint: 'Leave out --lora, or have the model propose some of the tasks with --dataset-share.',
    })
  if (share !== undefined && dataset === undefined)
    throw new UsageError('--dataset-share needs --dataset.', { hint: 'Name a dataset with --dataset.' })
}

/** The dataset that a proposer proposes from, or a solver tells apart, on this machine; undefined where there is none. */
async function openDataset({ dataset, 'dataset-share': share = 1, models, hub }: Config, signal: AbortSignal) {
  if (dataset === undefined) return undefined
  const path = await openDatasetPath(dataset, { models, hub }, signal)
  return { path, name: existsSync(dataset) ? basename(dataset) : dataset, share }
}

function checkGenerateOptions({ role, generate, 'generate-adapters': adapters }: Config): void {
  if (generate !== undefined && role !== 'solver')
    throw new UsageError(`A ${role} samples no answers.`, { hint: '--generate is for a solver.' })
  if (generate === undefined && adapters !== undefined)
    throw new UsageError('--generate-adapters needs --generate.', { hint: 'Name a server with --generate URL.' })
}

function checkPushOptions({ role, push, 'push-every': every }: Config): void {
  if (push === undefined && every !== undefined)
    throw new UsageError('--push-every needs --push.', { hint: 'Name a repository with --push OWNER/NAME.' })
  if (push === undefined) return
  if (role !== 'solver') throw new UsageError(`A ${role} learns nothing.`, { hint: '--push is for a solver.' })
  if (environment.hubToken() === undefined)
    throw new UsageError('--push needs an access token.', {
      hint: 'Set HF_TOKEN to one that may write to the repository.',
    })
}

/** Where a solver's policy is published; undefined where nothing is said of it. */
function pushSettings(config: Config, network: string, signal: AbortSignal): PushSettings | undefined {
  const { push: repo, 'push-every': every = PUSH_EVERY, model } = config
  if (repo === undefined) return undefined
  const [name = ''] = model?.split('@') ?? []
  const baseModel = isRepoName(name) && !existsSync(name) ? name : null
  return { client: openHub(config, signal), repo, every, baseModel, network }
}

/** A server may put what it was sent into what it answers. */
function keySecrets(): string[] {
  return [environment.serverKey(), environment.hubToken()].filter(key => key !== undefined)
}

function quotasOf(config: Config): QuotaLimits {
  const [totalBytes, peerBytes] = [config['keep-mb'] * 2 ** 20, config['keep-peer-mb'] * 2 ** 20]
  return { ...defaultQuotas, totalBytes, peerBytes }
}

/** What is said of the adapter that a solver or a proposer trains; undefined where nothing is. */
function askedAdapter(config: Config): AskedAdapter | undefined {
  const targets = config['lora-targets']?.split(',')
  const asked = { rank: config.lora, alpha: config['lora-alpha'], targets, base: config['lora-base'] }
  return Object.values(asked).every(value => value === undefined) ? undefined : asked
}
