import type { Command } from '../command.ts'
import { chainOptions, chainUsage } from '../options/networkOptions.ts'
import { showResult } from '../showResult.ts'
import { withAccount } from '../withSession.ts'

/** Sends what a peer's account has to another account. */
export const send: Command = {
  usage: `npx waggle send ADDRESS AMOUNT [--coin] [OPTIONS]

Sends Nectar from the peer's account to another account: AMOUNT in Nectar, or all. If the peer runs, it sends the transaction.
Staked Nectar has to be released first: npx waggle unstake. After an interruption the same command tells what became of the
transfer, and sends no second one.

  --coin              send the chain's native coin instead; 0.01 of it stays for gas

${chainUsage}`,
  options: { ...chainOptions, coin: { type: 'boolean' } },
  positionals: ['ADDRESS', 'AMOUNT'],
  async run({ coin, ...values }, [to = '', amount = '']) {
    const { fundsToSend, sendFunds } = await import('../account/sendFunds.ts')
    const funds = fundsToSend(to, amount, coin === true ? 'coin' : 'nectar')
    const tell = (result: object) => showResult(result, values.json === true)
    await withAccount(values, session => sendFunds(session, funds, tell))
  },
}
