import { printDealing, readNumber, readPeerKey } from '../challengeDesk.ts'
import type { Command } from '../command.ts'
import { dataOption, dataUsage, networkOptions, networkUsage } from '../networkOptions.ts'

/** Appeals a settled score. */
export const appeal: Command = {
  usage: `npm run waggle -- appeal PEER_ID --round N [OPTIONS]

Appeals the score that was settled for a peer, in the third round after its own, to a larger committee; or the verdict of that, in the
third round after the appeal, to all seats with twice the bond. The bond comes back unless the score stands.

  --round N           the round of the score
${dataUsage}
${networkUsage}
  --json              print one JSON object`,
  options: { ...dataOption, ...networkOptions, json: { type: 'boolean' }, round: { type: 'string' } },
  positionals: ['PEER_ID'],
  async run({ round, ...flags }, [peerId = '']) {
    const score = { peerKey: readPeerKey(peerId), round: readNumber('--round', round) }
    const { appeal: send } = await import('#roles/playChallenges.ts')
    await printDealing(flags, desk => send(desk, score))
  },
}
