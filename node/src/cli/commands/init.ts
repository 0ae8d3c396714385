import { openIdentity } from '#store/identity.ts'
import type { Command } from '../command.ts'
import { loadConfig } from '../config.ts'
import { dataOption, networkOptions, networkUsage } from '../networkOptions.ts'

/** Makes a peer's keys, and says what to do with them. */
export const init: Command = {
  summary: 'make the keys of a new peer, and show its name and the account to fund',
  usage: `npm run waggle -- init [--data DIR] [--json]

Keys that are there already are kept. A swarm.pem of RL Swarm, put into DIR before, keeps its peer id.

${networkUsage}`,
  options: { ...dataOption, ...networkOptions, json: { type: 'boolean' } },
  async run({ data, json, ...flags }) {
    const config = loadConfig(String(data ?? '.waggle/peer'), flags)
    const { peerId, name, address, peerKey } = await openIdentity(config.data)
    if (json === true)
      return console.log(JSON.stringify({ data: config.data, peerId, peerKey, name, account: address }))
    console.log(
      `peer      ${name}\npeer id   ${peerId}\naccount   ${address}\nkeys in   ${config.data} (back this folder up)\n`,
    )
    console.log(`Fund the account with some of the chain's native coin, then:`)
    console.log(`  npm run waggle -- start --data ${config.data} --network ${config.network} --role solver`)
  },
}
