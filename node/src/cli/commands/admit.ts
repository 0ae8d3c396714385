import type { Command } from '../command.ts'
import { environment } from '../environment.ts'
import { loadConfig } from '../options/config.ts'
import { chainOptions, dataUsage, networkUsage, openDeployment } from '../options/networkOptions.ts'
import { readPeerId } from '../options/readPeerId.ts'

/** Seats an evaluator; for who deployed the swarm. */
export const admit: Command = {
  usage: `npx waggle admit PEER_ID [OPTIONS]

Admits an evaluator from the next round on. WAGGLE_DEPLOYER_KEY holds the private key of the account with the role.

${networkUsage}
${dataUsage}, where a local deployment's record is
  --json              print one JSON object on the last line`,
  options: chainOptions,
  positionals: ['PEER_ID'],
  async run({ json, ...flags }, [typed = '']) {
    const peerId = readPeerId(typed)
    const key = environment.deployerKey()
    const { deployment, rpcUrl } = openDeployment(loadConfig(flags))
    const { admitPeer } = await import('../account/admitPeer.ts')
    const outcome = await admitPeer({ deployment, rpcUrl, peerId, key })
    if (json === true) return console.log(JSON.stringify({ peerId, ...outcome }))
    console.log(
      outcome.status === 'seated'
        ? `${peerId} sits from the next round on (${outcome.hash})`
        : `${peerId} has a seat already`,
    )
  },
}
