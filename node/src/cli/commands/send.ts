import type { Sent } from '../account/sendFunds.ts'
import { defineCommand } from '../defineCommand.ts'
import { peerOnChain } from '../options/commonSettings.ts'
import { flag, jsonOption } from '../options/optionKinds.ts'
import { showResult } from '../showResult.ts'
import { withAccount } from '../withSession.ts'

/** Sends funds from a peer's account to another account. */
export const send = defineCommand({
  usage: 'npx waggle send ADDRESS AMOUNT [--coin] [OPTIONS]',
  about:
    "Sends Nectar from the peer's account to another account: AMOUNT in Nectar, or all. If the peer runs, it sends the transaction. Staked Nectar has to be released first: npx waggle unstake. After an interruption the same command tells the outcome of the transfer, and sends no second one.",
  own: { coin: flag("send the chain's native coin instead; 0.01 of it stays for gas"), ...jsonOption },
  peer: peerOnChain,
  positionals: ['ADDRESS', 'AMOUNT'],
  async run({ coin, json }, [to = '', amount = ''], flags) {
    const { fundsToSend, sendFunds, sentLines } = await import('../account/sendFunds.ts')
    const funds = fundsToSend(to, amount, coin ? 'coin' : 'nectar')
    const tell = (result: Sent) => (json ? showResult(result, true) : console.log(sentLines(result).join('\n')))
    await withAccount(flags, session => sendFunds(session, funds, tell))
  },
})
