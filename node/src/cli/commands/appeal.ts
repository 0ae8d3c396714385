import type { Command } from '../command.ts'
import { chainOptions, chainUsage } from '../options/networkOptions.ts'
import { readPeerKey } from '../options/readPeerId.ts'
import { wholeNumber } from '../options/wholeNumber.ts'
import { runFromAccount, showBond } from '../runFromAccount.ts'

/** Appeals a settled score. */
export const appeal: Command = {
  usage: `npx waggle appeal PEER_ID --round N [OPTIONS]

Appeals a peer's settled score to a larger committee, in the third round after the score's own. In the third round after the appeal,
its verdict can be appealed to 23 seats with twice the bond, unless most of the first committee found that the bundle is missing.
Half of the bond, in the chain's native coin, pays the seats that are drawn, whatever they find. The other half comes back if the
score changes; if it stands, it goes to the other side. Withdraw it with npx waggle challenge withdraw. npx waggle challenge
bonds prints the size of the bonds and sends nothing.

  --round N           the round of the score
${chainUsage}`,
  options: { ...chainOptions, round: { type: 'string' } },
  positionals: ['PEER_ID'],
  async run({ round, ...flags }, [peerId = '']) {
    const score = { peerKey: readPeerKey(peerId), round: wholeNumber('round', round) }
    const { appealScore } = await import('../challenges/appealScore.ts')
    await runFromAccount(flags, session => appealScore(session, score, showBond(flags)))
  },
}
