import { join, resolve } from 'node:path'
import { knownNetworks } from '../../deployments/networks.ts'
import { deploymentPath } from '../../deployments/record.ts'
import { shellWord } from '../../node/src/core/shellWord.ts'
import type { SwarmOptions } from './options.ts'

/** What makes one more peer for a swarm, run in the same folder as it: with options only where the swarm has others than a command assumes. */
export function joinCommand(options: Pick<SwarmOptions, 'data' | 'chain-port'>): string {
  const record = join(options.data, 'deployment.json')
  const rpcUrl = `http://127.0.0.1:${options['chain-port']}`
  return [
    'npx waggle join --data my-peer',
    ...(resolve(record) === deploymentPath('local') ? [] : [`--deployment ${shellWord(record)}`]),
    ...(rpcUrl === knownNetworks.local.defaultUrl ? [] : [`--rpc ${rpcUrl}`]),
  ].join(' ')
}
