import { availableParallelism } from 'node:os'
import { join as joinPath } from 'node:path'
import { type KnownNetwork, knownNetworks } from '@waggle/deployments/networks'
import { NoFundsError } from '#chain/chainErrors.ts'
import { connectChain } from '#chain/connectChain.ts'
import type { Hex } from '#core/hex.ts'
import { originsOf, urlSecrets } from '#core/redactUrls.ts'
import type { Device } from '#model/devices.ts'
import { SETTINGS_FILE } from '#store/folderNames.ts'
import { openIdentity } from '#store/identity.ts'
import type { Command } from '../command.ts'
import { type Choice, chooseSettings } from '../join/chooseSettings.ts'
import { fromAnywhere } from '../join/fromAnywhere.ts'
import { keepSettings, UnwritableError } from '../join/keepSettings.ts'
import { readMachineMemory } from '../join/machineMemory.ts'
import { readSpec } from '../models/chatModels.ts'
import { folderSetting, peerOnChain } from '../options/commonSettings.ts'
import { type Config, loadConfig, readSettings } from '../options/config.ts'
import { openDeployment } from '../options/networkOptions.ts'
import { openDevice } from '../options/openDevice.ts'
import { requireFitting } from '../options/requireFitting.ts'
import { optionRows, optionsOf, settingsOf } from '../options/settingOptions.ts'
import { peerSettings } from '../options/settings.ts'
import { readableAmount } from '../readableAmount.ts'
import { startPeer } from './start.ts'

/** Creates a peer and runs it. */
export const join: Command = {
  help: [
    { calls: 'npx waggle join [OPTIONS]' },
    `Creates the keys of a new peer, chooses role, model and threads to suit the machine, and starts the peer. On a local chain the peer gives itself coin; elsewhere a sponsor pays (--sponsor URL), or join prints how much to send to which account. It prints its choices and keeps them in DIR/${SETTINGS_FILE}: change them there, or override them with options. Run it again to continue with the same peer.`,
    { rows: optionRows(peerOnChain) },
    '--role ROLE, --model PATH_OR_REPO, --environment FILE, --device NAME, and every other option of start: npx waggle start --help describes them.',
  ],
  options: optionsOf({ ...folderSetting, ...peerSettings }),
  async run(values) {
    const flags = settingsOf(peerSettings, values)
    const asked = loadConfig(flags)
    const { deployment, rpcUrl, patience } = openDeployment(asked)
    const { name, peerId, address } = await openIdentity(asked.data)
    const settings = joinPath(asked.data, SETTINGS_FILE)
    const file = readSettings(settings)
    // A file that the operator wrote before does not make the choices.
    const isChosen = file.role !== undefined
    const isLocalChain = deployment.chainId === knownNetworks.local.chainId
    // Checked before it is saved: a wrong endpoint or deployment would affect every later command.
    if (!isChosen) await connectChain({ deployment, rpcUrl, patience })
    const found = await deviceOf(asked)
    const on = { isLocalChain, device: found.device }
    const none = { choices: [], chosen: {}, unkept: null }
    const made = isChosen ? none : await keepChoices(settings, { file, flags }, asked, on)
    const config = loadConfig({ ...flags, ...made.chosen })
    // The choices may name the CPU.
    const { device, reason: deviceReason } = config.device === asked.device ? found : await deviceOf(config)
    print('peer', `${name} (${peerId})`)
    print('account', address)
    print('network', `${deployment.network}, chain ${deployment.chainId}`)
    print('role', config.role ?? 'not chosen')
    print('model', config.model ?? 'the starter model, which comes with the code')
    print('device', deviceReason === null ? device : `${device} (${deviceReason})`)
    for (const { setting, value, reason } of made.choices) print('chosen', `${setting}: ${value} (${reason})`)
    print('settings', made.unkept === null ? settings : `not kept: ${made.unkept}`)
    if (config.sponsor !== undefined)
      print('funds', `by the sponsor at ${originsOf(config.sponsor)}, unless the account has some`)
    else if (config.role === 'gateway') print('funds', 'none are needed: a gateway sends nothing')
    else await printFunds(address, { deployment, rpcUrl, patience })
    await startPeer({ ...config, device })
  },
}

/** The device that the peer will run on, and why that one if none was named. */
async function deviceOf({ device: wanted, environment, model }: Config) {
  const hasChatModels = environment !== undefined || model !== undefined
  const device = await openDevice(wanted, hasChatModels)
  if (wanted !== 'auto') return { device, reason: null }
  return { device, reason: hasChatModels ? 'npx waggle devices tries each' : 'the starter model is made for it' }
}

/** @throws {NoFundsError} if the account has no funds. */
async function printFunds(address: Hex, chain: ReturnType<typeof openDeployment>): Promise<void> {
  const { fundAccount } = await import('../account/fundAccount.ts')
  const funding = await fundAccount({ ...chain, address })
  if (funding.status === 'empty') throw unfunded(address, chain.deployment.network, funding)
  print(
    'funds',
    `${readableAmount(funding.balance)} of the native coin${funding.status === 'given' ? ', given by the local chain' : ''}`,
  )
}

/**
 * Adds the given and the chosen settings to the peer's settings file, once.
 *
 * @returns with `unkept`, why the file cannot be written, if the options name the role: the same command continues with the same peer.
 */
async function keepChoices(
  path: string,
  { file, flags }: Record<'file' | 'flags', Readonly<Record<string, unknown>>>,
  asked: Config,
  { isLocalChain, device }: { isLocalChain: boolean; device: Device },
): Promise<{ choices: Choice[]; chosen: Record<string, unknown>; unkept: string | null }> {
  const judgeParameters = await judgeParametersHere(asked)
  const offer = { cores: availableParallelism(), ...(await readMachineMemory(device)), isLocalChain, judgeParameters }
  const { role, lora, 'lora-base': loraBase } = asked
  const given = Object.entries(flags).filter(([, value]) => value !== undefined)
  const stated = { ...file, ...Object.fromEntries(given) }
  const duties = {
    appeals: stated.appeals === undefined ? undefined : asked.appeals,
    bets: stated.bets === undefined ? undefined : asked.bets,
  }
  const choices = chooseSettings(offer, { ...stated, role, lora, 'lora-base': loraBase, ...duties })
  const chosen = Object.fromEntries(choices.map(({ setting, value }) => [setting, value]))
  const said = given.filter(([name, value]) => !isUnkept(name, value, file))
  // Before they are kept: every later start would refuse them.
  requireFitting(loadConfig({ ...flags, ...chosen }))
  const kept = Object.fromEntries(said.map(([name, value]) => [name, fromAnywhere(name, value)]))
  try {
    keepSettings(path, { ...kept, ...chosen })
    return { choices, chosen, unkept: null }
  } catch (error) {
    if (flags.role === undefined || !(error instanceof UnwritableError)) throw error
    return { choices, chosen, unkept: error.message }
  }
}

async function judgeParametersHere({ environment, judge, role }: Config): Promise<number> {
  if (environment === undefined) return 0
  const { likelyJudgeParameters } = await import('../join/modelParameters.ts')
  return likelyJudgeParameters(await readSpec(environment), judge, role)
}

/** The folder is implied by the file's location, and a URL with a key belongs in the environment. With a URL in the file it has to agree. */
function isUnkept(name: string, value: unknown, file: Readonly<Record<string, unknown>>): boolean {
  return name === 'data' || (name === 'rpc' && file.rpc === undefined && urlSecrets(String(value)).length > 0)
}

function print(what: string, found: string): void {
  console.log(`${what.padEnd(9)} ${found}`)
}

function unfunded(address: string, network: string, { needed, rounds }: { needed: string; rounds: number }) {
  const { faucetUrl } = (knownNetworks as Record<string, KnownNetwork>)[network] ?? {}
  const from = faucetUrl === undefined ? '' : ` (a faucet: ${faucetUrl})`
  return new NoFundsError(`The account ${address} has no funds on '${network}'.`, {
    hint: `Send it ${needed} of the chain's coin${from}, which pays for about ${rounds} rounds, and run the same command again; or name a sponsor that pays (--sponsor URL).`,
    retryable: true,
  })
}
