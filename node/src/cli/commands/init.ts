import { openIdentity } from '#store/identity.ts'
import type { Command } from '../command.ts'
import { loadConfig } from '../options/config.ts'
import { dataOption, dataUsage } from '../options/networkOptions.ts'

/** Makes a peer's keys, and says what to do with them. */
export const init: Command = {
  usage: `npx waggle init [--data DIR] [--json]

Creates the keys of a new peer in DIR, and prints its name and the account to fund. Existing keys are kept. To keep a peer id of RL
Swarm, put its swarm.pem into DIR first.

${dataUsage}
  --json              print one JSON object on the last line`,
  options: { ...dataOption, json: { type: 'boolean' } },
  async run({ json, ...flags }) {
    const { data } = loadConfig(flags)
    const { peerId, name, address, peerKey } = await openIdentity(data)
    if (json === true) return console.log(JSON.stringify({ data, peerId, peerKey, name, account: address }))
    console.log(`peer      ${name}
peer id   ${peerId}
account   ${address}
keys in   ${data} (npx waggle backup FILE --data ${data} keeps them: lost keys cannot be made again)

Fund the account with some of the chain's native coin, then:
  npx waggle start --data ${data} --network NAME --role solver`)
  },
}
