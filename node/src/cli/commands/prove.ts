import { isAddress } from 'viem'
import { defineCommand } from '../defineCommand.ts'
import { peerOnChain } from '../options/commonSettings.ts'
import { jsonOption } from '../options/optionKinds.ts'
import { UsageError } from '../usageError.ts'
import { openPeerFolder } from '../withSession.ts'

/** Signs a proof of possession of a peer's key for an account's wallet. */
export const prove = defineCommand({
  usage: 'npx waggle prove ACCOUNT [OPTIONS]',
  about:
    "Signs with the peer's key that an account may own the peer, and prints the proof, which is valid for a day, as one line. Paste it on the dashboard's page /register: there the account's wallet registers the peer, or takes it over from its current account. Nothing is sent, and no key is printed.",
  own: jsonOption,
  peer: peerOnChain,
  positionals: ['ACCOUNT'],
  async run(_, [account = ''], flags) {
    if (!isAddress(account))
      throw new UsageError(`${account} is not an account.`, { hint: 'Name one as 0x and 40 hexadecimal digits.' })
    const { proveRegistration } = await import('../account/proveRegistration.ts')
    console.log(JSON.stringify(await proveRegistration(await openPeerFolder(flags), account)))
  },
})
