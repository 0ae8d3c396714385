import { shellWord } from '#core/shellWord.ts'
import { openIdentity } from '#store/identity.ts'
import { defineCommand } from '../defineCommand.ts'
import { folderSetting } from '../options/commonSettings.ts'
import { loadConfig } from '../options/config.ts'
import { jsonOption } from '../options/optionKinds.ts'

/** Creates a peer's keys, and prints the next steps. */
export const init = defineCommand({
  usage: 'npx waggle init [--data DIR] [--json]',
  about:
    'Creates the keys of a new peer in DIR, and prints its name and the account to fund. Existing keys are kept. To keep a peer id of RL Swarm, put its swarm.pem into DIR first.',
  own: jsonOption,
  peer: folderSetting,
  async run({ json }, _, flags) {
    const { data } = loadConfig(flags)
    const { peerId, name, address, peerKey } = await openIdentity(data)
    if (json) return console.log(JSON.stringify({ data, peerId, peerKey, name, account: address }))
    console.log(`peer      ${name}
peer id   ${peerId}
account   ${address}
keys in   ${data} (npx waggle backup FILE --data ${shellWord(data)} keeps them: lost keys cannot be made again)

Fund the account with some of the chain's native coin, then start what it is for, such as
  npx waggle start --data ${shellWord(data)} --network NAME --role solver
  npx waggle sponsor --data ${shellWord(data)} --network NAME`)
  },
})
