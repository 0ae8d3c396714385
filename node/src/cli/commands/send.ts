import type { Command } from '../command.ts'
import { chainOptions, chainUsage } from '../options/networkOptions.ts'
import { runFromAccount } from '../runFromAccount.ts'

/** Sends what a peer's account has to another account. */
export const send: Command = {
  usage: `npx waggle send ADDRESS AMOUNT [--coin] [OPTIONS]

Sends Nectar from the peer's account to another account: AMOUNT in Nectar, or all. If the peer runs, it sends the transaction.
Staked Nectar has to be released first: npx waggle unstake.

  --coin              send the chain's native coin instead; 0.01 of it stays for gas

${chainUsage}`,
  options: { ...chainOptions, coin: { type: 'boolean' } },
  positionals: ['ADDRESS', 'AMOUNT'],
  async run({ coin, ...values }, [to = '', amount = '']) {
    const { sendFunds } = await import('../account/sendFunds.ts')
    await runFromAccount(values, session => sendFunds(session, { to, amount, kind: coin === true ? 'coin' : 'nectar' }))
  },
}
