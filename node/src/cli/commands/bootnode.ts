import { knownNetworks } from '@waggle/deployments/networks'
import { feeSettings } from '#chain/outbox/feeSettings.ts'
import { networkClock, systemClock } from '#core/clock.ts'
import { networkSettings } from '#p2p/networkConfig.ts'
import type { CommandAction } from '../command.ts'
import { defineCommand } from '../defineCommand.ts'
import { environment } from '../environment.ts'
import { knownAction } from '../nearest.ts'
import { openLog } from '../openLog.ts'
import { logSettings, peerOnChain } from '../options/commonSettings.ts'
import { type Config, loadConfig } from '../options/config.ts'
import { openDeployment, openOwned } from '../options/networkOptions.ts'
import { flag } from '../options/optionKinds.ts'
import { pickSettings } from '../options/settingOptions.ts'
import { stopSignal } from '../untilInterrupted.ts'
import { UsageError } from '../usageError.ts'

const actions = [
  {
    name: 'run',
    text: 'run a bootnode until Ctrl-C (default): it has a lasting identity and needs no role and no funds',
  },
  {
    name: 'list',
    text: 'print the bootnodes on the chain; every peer reads this list at its start and while it runs',
  },
  {
    name: 'add',
    arguments: 'ADDRESS',
    text: 'add a bootnode: a multiaddr that ends with /p2p/PEER_ID, as the bootnode prints it',
  },
  { name: 'remove', arguments: 'ADDRESS', text: 'remove a bootnode' },
  { name: 'clear', text: 'remove all' },
] as const satisfies readonly CommandAction[]
type Action = (typeof actions)[number]['name']

/** A fixed port, so that peers can reconnect after a restart. */
const LISTEN = ['/ip4/0.0.0.0/tcp/4001', '/ip6/::/tcp/4001']

const { listen, ...otherSettings } = networkSettings
const listenHere = listen
  .unwrap()
  .optional()
  .meta({
    value: 'MULTIADDR',
    description: `address to listen on, may be repeated (default ${LISTEN.join(' and ')})`,
  })

/** Runs a bootnode, or changes the list of bootnodes on the chain. */
export const bootnode = defineCommand({
  usage: 'npx waggle bootnode [ACTION] [ADDRESS] [OPTIONS]',
  about: 'WAGGLE_DEPLOYER_KEY holds the private key of the account that may add, remove and clear.',
  own: { json: flag('list, add, remove, clear: print one JSON object on the last line') },
  peer: { ...peerOnChain, ...feeSettings, listen: listenHere, ...otherSettings, ...logSettings },
  actions,
  morePositionals: ['ACTION', 'ADDRESS'],
  async run({ json }, [asked = 'run', address], flags) {
    const action = knownAction(asked, actions)
    const takesAddress = action === 'add' || action === 'remove'
    if (takesAddress !== (address !== undefined))
      throw new UsageError(takesAddress ? `${action} needs an ADDRESS.` : `${action} takes no ADDRESS.`, {
        hint: 'See npx waggle bootnode --help.',
      })
    const config = loadConfig(flags)
    if (action === 'run') return run(config)
    const { bootnodes, hash } = await change(config, action, address ?? '')
    if (json) return console.log(JSON.stringify({ bootnodes, hash }))
    for (const one of bootnodes) console.log(one)
    if (bootnodes.length === 0) console.log('The chain lists no bootnode.')
    if (action !== 'list')
      console.log(hash === null ? 'The list already had this content; nothing was sent.' : `Changed by ${hash}.`)
  },
})

async function run(config: Config): Promise<void> {
  const { deployment, rpcUrl } = openDeployment(config)
  const isSaid = config.listen.join() !== listen.parse(undefined).join()
  const { runBootnode } = await import('#roles/bootnode/runBootnode.ts')
  await runBootnode({
    ...{ data: config.data, deployment, rpcUrl, clock: systemClock, networkClock, signal: stopSignal() },
    network: { ...pickSettings(config, networkSettings), ...(!isSaid && { listen: LISTEN }) },
    openLogger: identity => openLog(config, identity, { role: 'bootnode', rpcUrl }),
  })
}

async function change(config: Config, action: Exclude<Action, 'run'>, address: string) {
  const opened = openOwned(config)
  const { deployment } = opened
  if (action === 'add') await requireBootnode(address, deployment.chainId === knownNetworks.local.chainId)
  const { readListed, listBootnodes } = await import('../account/listBootnodes.ts')
  const listed = await readListed(opened)
  if (action === 'list') return { bootnodes: listed, hash: null }
  if (action === 'remove' && !listed.includes(address))
    throw new UsageError(`${address} is not listed, so it cannot be removed.`, {
      hint: 'npx waggle bootnode list prints the addresses in full.',
    })
  const rest = action === 'clear' ? [] : listed.filter(one => one !== address)
  const next = action === 'add' ? [...rest, address] : rest
  if (action === 'add' && listed.includes(address)) return { bootnodes: listed, hash: null }
  return listBootnodes({ ...opened, key: environment.deployerKey() }, listed, next)
}

/** Warns of an address that leads few peers to the bootnode. @throws {UsageError} if it is not a valid bootnode address. */
async function requireBootnode(address: string, isLocal: boolean): Promise<void> {
  const { doubtOfBootnode, faultOfBootnode } = await import('#p2p/connections/bootnodeAddress.ts')
  const fault = faultOfBootnode(address, isLocal)
  if (fault !== null)
    throw new UsageError(`${address} is not a bootnode's address: ${fault}.`, {
      hint: 'Write it as /ip4/203.0.113.7/tcp/4001/p2p/16Uiu2…: npx waggle bootnode prints its own.',
    })
  const doubt = doubtOfBootnode(address, isLocal)
  if (doubt !== null) console.error(`Warning: ${address} is ${doubt}.`)
}
