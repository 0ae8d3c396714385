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

Demands that a sampled leaf of the peer be shown on the chain, in the first or second round after its own, with a bond in
the chain's native coin. It comes back, less the gas of the answer; if nobody answers by the end of the next round, all of it, and the
peer loses its round. What comes back waits: npx waggle challenges withdraw. npx waggle challenges bonds shows what the
bond is, and sends nothing.

With --fault, shows the chain what is false in what the peer committed for the round, without a bond: a leaf whose seed or policy is not
what it must be, which costs the round; a task that stands twice under one root, which costs half of the proposer's stake. The
folder must keep the peer's bundles: that of a peer that took part in the round does, and that of a gateway.

  --round N           the round of the leaf
  --place N           the leaf's place in the draw of sampled leaves, from 0 (default 0)
  --fault             show what is false, as far as the folder has it
  --environment FILE  the round's specification, if it is not that of the starter models
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
