import { join, resolve } from 'node:path'
import { knownNetworks } from '../../deployments/networks.ts'
import { deploymentPath } from '../../deployments/record.ts'
import { shellWord } from '../../node/src/core/shellWord.ts'
import type { SwarmOptions } from './options.ts'

/** The command that adds a peer to a swarm, for the swarm's own folder. It has options only where the swarm's settings differ from the defaults. */
export function joinCommand(options: Pick<SwarmOptions, 'data' | 'chain-port'>): string {
  const record = join(options.data, 'deployment.json')
  const rpcUrl = `http://127.0.0.1:${options['chain-port']}`
  return [
    'npx waggle join --data my-peer',
    ...(resolve(record) === deploymentPath('local') ? [] : [`--deployment ${shellWord(record)}`]),
    ...(rpcUrl === knownNetworks.local.defaultUrl ? [] : [`--rpc ${rpcUrl}`]),
  ].join(' ')
}
