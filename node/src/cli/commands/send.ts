import type { Command } from '../command.ts'
import { chainOptions, chainUsage } from '../options/networkOptions.ts'
import { runFromAccount } from '../runFromAccount.ts'

/** Sends what a peer's account has to another account. */
export const send: Command = {
  usage: `npx waggle send ADDRESS AMOUNT [--coin] [OPTIONS]

Sends Nectar of the peer's account to another account: AMOUNT in Nectar, or all. A running peer sends it. What is staked
is taken back first, by npx waggle unstake.

  --coin              send the chain's own coin instead; 0.01 of it stays for gas

${chainUsage}`,
  options: { ...chainOptions, coin: { type: 'boolean' } },
  positionals: ['ADDRESS', 'AMOUNT'],
  async run({ coin, ...values }, [to = '', amount = '']) {
    const { sendFunds } = await import('../account/sendFunds.ts')
    await runFromAccount(values, session => sendFunds(session, { to, amount, kind: coin === true ? 'coin' : 'nectar' }))
  },
}
