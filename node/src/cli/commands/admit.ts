import { defineCommand } from '../defineCommand.ts'
import { environment } from '../environment.ts'
import { ownerSettings } from '../options/commonSettings.ts'
import { loadConfig } from '../options/config.ts'
import { openOwned } from '../options/networkOptions.ts'
import { jsonOption } from '../options/optionKinds.ts'
import { readPeerId } from '../options/readPeerId.ts'

/** Seats an evaluator; for the account that deployed the swarm. */
export const admit = defineCommand({
  usage: 'npx waggle admit PEER_ID [OPTIONS]',
  about:
    'Admits an evaluator from the next round on. WAGGLE_DEPLOYER_KEY holds the private key of the account with the role.',
  own: jsonOption,
  peer: ownerSettings,
  positionals: ['PEER_ID'],
  async run({ json }, [typed = ''], flags) {
    const peerId = readPeerId(typed)
    const key = environment.deployerKey()
    const opened = openOwned(loadConfig(flags))
    const { admitPeer } = await import('../account/admitPeer.ts')
    const outcome = await admitPeer({ ...opened, peerId, key })
    if (!outcome.isRegistered)
      console.error(`${peerId} is not registered: its seat scores nothing before its operator has joined.`)
    if (json) return console.log(JSON.stringify({ peerId, ...outcome }))
    console.log(
      outcome.status === 'seated'
        ? `${peerId} sits from the next round on (${outcome.hash})`
        : `${peerId} already has a seat`,
    )
  },
})
