import { admitPeer } from '#roles/admitPeer.ts'
import type { Command } from '../command.ts'
import { loadConfig } from '../config.ts'
import { dataOption, networkOptions, networkUsage, openDeployment } from '../networkOptions.ts'
import { UsageError } from '../usageError.ts'

/** Seats an evaluator; for who deployed the swarm. */
export const admit: Command = {
  summary: 'seat an evaluator (for who holds the role on the chain)',
  usage: `npm run waggle -- admit PEER_ID [OPTIONS]

The key of the account with the role stands in WAGGLE_DEPLOYER_KEY.

${networkUsage}`,
  options: { ...dataOption, ...networkOptions },
  async run({ data, ...flags }, [peerId]) {
    if (peerId === undefined) throw new UsageError('No peer id.', { hint: 'npm run waggle -- admit PEER_ID.' })
    const key = process.env.WAGGLE_DEPLOYER_KEY
    if (key === undefined || !/^0x[0-9a-fA-F]{64}$/.test(key))
      throw new UsageError('WAGGLE_DEPLOYER_KEY is not set, or not 0x and 64 digits.', {
        hint: 'Set it to the key of the account that may seat evaluators.',
      })
    const config = loadConfig(String(data ?? '.waggle/peer'), flags)
    const { deployment, rpcUrl } = openDeployment(config)
    const outcome = await admitPeer({ deployment, rpcUrl, peerId, key: key as `0x${string}` })
    console.log(outcome)
  },
}
