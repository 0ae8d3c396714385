import type { Command } from '../command.ts'
import { readSpec } from '../models/chatModels.ts'
import { chainOptions, chainUsage } from '../options/networkOptions.ts'
import { readPeerKey } from '../options/readPeerId.ts'
import { wholeNumber } from '../options/wholeNumber.ts'
import { runFromAccount, showBond } from '../runFromAccount.ts'

const text = { type: 'string' } as const

/** Demands a sampled leaf on the chain, or shows what is false. */
export const challenge: Command = {
  usage: `npx waggle challenge PEER_ID --round N [OPTIONS]

Demands that the peer show a sampled leaf on the chain, in the first or second round after the leaf's own, with a bond in the chain's
native coin. If the peer answers, the bond comes back less the gas of the answer. If nobody answers by the end of the next round, the
whole bond comes back and the peer loses its round. Withdraw it with npx waggle challenges withdraw. npx waggle challenges bonds
prints the size of the bond and sends nothing.

With --fault, proves on the chain that the peer committed a leaf with a wrong seed or policy, without a bond: the peer loses its
round. The folder must hold the peer's bundle: folders of peers that took part in the round, and of gateways, do.

  --round N           the round of the leaf
  --place N           index of the leaf among the sampled leaves, from 0 (default 0)
  --fault             prove a false leaf of the bundle in the folder
  --environment FILE  specification of the round's environment, if it is not the starter's
${chainUsage}`,
  options: {
    ...chainOptions,
    fault: { type: 'boolean' },
    round: text,
    place: text,
    environment: text,
  },
  positionals: ['PEER_ID'],
  async run({ round, place = '0', environment, fault, ...flags }, [peerId = '']) {
    const leaf = {
      peerKey: readPeerKey(peerId),
      round: wholeNumber('round', round),
      place: wholeNumber('place', place),
    }
    if (fault === true) {
      const { showFault } = await import('../challenges/showFault.ts')
      return runFromAccount(flags, session => showFault(session, leaf))
    }
    const specs = typeof environment === 'string' ? [await readSpec(environment)] : await starterSpecs()
    const { demand } = await import('../challenges/playChallenges.ts')
    await runFromAccount(flags, session => demand(session, { ...leaf, specs }, showBond(flags)))
  },
}

/** What starter models play by, as the chain names it: with the hash of their judge. */
async function starterSpecs() {
  const { loadEnvironments } = await import('#environments/builtIn.ts')
  return Object.values(await loadEnvironments()).map(({ spec }) => spec)
}
