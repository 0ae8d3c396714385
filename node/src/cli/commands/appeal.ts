import { defineCommand } from '../defineCommand.ts'
import { peerOnChain } from '../options/commonSettings.ts'
import { count, jsonOption } from '../options/optionKinds.ts'
import { readPeerKey } from '../options/readPeerId.ts'
import { runFromAccount, showBond } from '../runFromAccount.ts'

/** Appeals a settled score. */
export const appeal = defineCommand({
  usage: 'npx waggle appeal PEER_ID --round N [OPTIONS]',
  about:
    "Appeals a peer's settled score to a larger committee, in the third round after the score's own. In the third round after the appeal, its verdict can be appealed to 23 seats with twice the bond, unless most of the first jury found that the bundle is missing. Half of the bond, in the chain's native coin, pays the seats that are drawn, whatever they find. The other half comes back if the score changes; if it stands, it goes to the other side. Withdraw it with npx waggle challenge withdraw. npx waggle challenge bonds prints the size of the bonds and sends nothing.",
  own: { round: count(0, 999_999_999).meta({ value: 'N', description: 'the round of the score' }), ...jsonOption },
  peer: peerOnChain,
  positionals: ['PEER_ID'],
  async run({ round, json }, [peerId = ''], flags) {
    const score = { peerKey: readPeerKey(peerId), round }
    const { appealScore } = await import('../challenges/appealScore.ts')
    await runFromAccount(flags, json, session => appealScore(session, score, showBond(json)))
  },
})
