import type { Command } from '../command.ts'
import { chainOptions, chainUsage } from '../options/networkOptions.ts'
import { readPeerKey } from '../options/readPeerId.ts'
import { wholeNumber } from '../options/wholeNumber.ts'
import { runFromAccount, showBond } from '../runFromAccount.ts'

/** Appeals a settled score. */
export const appeal: Command = {
  usage: `npx waggle appeal PEER_ID --round N [OPTIONS]

Appeals the score that was settled for a peer, in the third round after its own, to a larger committee; or the verdict of that, in the
third round after the appeal, to 23 seats with twice the bond, unless most of the first found that the bundle is gone. Half of the
bond, in the chain's native coin, pays the seats that are called, whatever they find. The other half comes back unless the score
stands in the end: then it goes to the other side. What comes back waits to be taken by npx waggle challenges withdraw.
npx waggle challenges bonds shows what the bonds are, and sends nothing.

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
