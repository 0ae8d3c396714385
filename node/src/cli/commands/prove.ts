import { isAddress } from 'viem'
import type { Command } from '../command.ts'
import { chainOptions, chainUsage } from '../options/networkOptions.ts'
import { UsageError } from '../usageError.ts'
import { openPeerFolder } from '../withSession.ts'

/** Proves to an account's wallet that a peer's key is at hand. */
export const prove: Command = {
  usage: `npx waggle prove ACCOUNT [OPTIONS]

Has the peer's key sign that an account may hold the peer, for a day, and prints the proof as one line. The dashboard's page /register takes
it: there the account's wallet registers the peer, or moves it from the account that holds it. Nothing is sent, and no key is shown.

${chainUsage}`,
  options: chainOptions,
  positionals: ['ACCOUNT'],
  async run(flags, [account = '']) {
    if (!isAddress(account))
      throw new UsageError(`${account} is not an account.`, { hint: 'Name one as 0x and 40 hexadecimal digits.' })
    const { proveRegistration } = await import('../account/proveRegistration.ts')
    console.log(JSON.stringify(await proveRegistration(await openPeerFolder(flags), account)))
  },
}
