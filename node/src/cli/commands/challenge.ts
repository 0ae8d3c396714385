import type { ReadSession } from '#roles/readSession.ts'
import type { Command, Values } from '../command.ts'
import { readSpec } from '../models/chatModels.ts'
import { unknownWord } from '../nearest.ts'
import { chainOptions, chainUsage } from '../options/networkOptions.ts'
import { readPeerKey } from '../options/readPeerId.ts'
import { wholeNumber } from '../options/wholeNumber.ts'
import { runFromAccount, showBond } from '../runFromAccount.ts'
import { showResult } from '../showResult.ts'
import { UsageError } from '../usageError.ts'
import { withReader } from '../withSession.ts'

const text = { type: 'string' } as const
const actions = ['demand', 'prove', 'list', 'bonds', 'close', 'withdraw'] as const

/** Demands a sampled leaf on the chain, shows what is false, and settles what is open. */
export const challenge: Command = {
  usage: `npx waggle challenge demand PEER_ID --round N [OPTIONS]
npx waggle challenge prove PEER_ID --round N [OPTIONS]
npx waggle challenge list|bonds|close|withdraw [OPTIONS]

list and bonds only read the chain; the other actions send from the account in the peer's folder.

  demand PEER_ID      demand that the peer show a sampled leaf on the chain, in the first or second round after the leaf's own, with a bond
                      in the chain's native coin. If the peer answers, the bond comes back less the gas of the answer. If nobody answers
                      by the end of the next round, the whole bond comes back and the peer loses its round
  prove PEER_ID       prove on the chain that the peer committed a leaf with a wrong seed or policy, without a bond: the peer loses its
                      round. The folder must hold the peer's bundle: folders of peers that took part in the round, and of gateways, do
  list                list demands and appeals of the last rounds, and what the folder's account, if there is one, is owed
  bonds               print the bonds of a demand and an appeal, and what happens to them; nothing is sent
  close               close all challenges that are due; anyone may
  withdraw            withdraw returned bonds and rewards

  --round N           the round of the leaf
  --place N           index of the leaf among the sampled leaves, from 0 (default 0)
  --environment FILE  specification of the round's environment, if it is not the starter's
${chainUsage}`,
  options: {
    ...chainOptions,
    round: text,
    place: text,
    environment: text,
  },
  positionals: ['ACTION'],
  morePositionals: ['PEER_ID'],
  async run({ round, place = '0', environment, ...flags }, [action = '', peerId]) {
    const known = actions.find(name => name === action)
    if (known === undefined) throw unknownWord('action', action, actions)
    if (known !== 'demand' && known !== 'prove') {
      if (peerId === undefined) return settle(known, flags)
      throw new UsageError(`challenge ${known} does not take '${peerId}'.`, {
        hint: 'See npx waggle challenge --help.',
      })
    }
    if (peerId === undefined)
      throw new UsageError(`challenge ${known} needs PEER_ID.`, { hint: 'See npx waggle challenge --help.' })
    const leaf = {
      peerKey: readPeerKey(peerId),
      round: wholeNumber('round', round),
      place: wholeNumber('place', place),
    }
    if (known === 'prove') {
      const { showFault } = await import('../challenges/showFault.ts')
      return runFromAccount(flags, session => showFault(session, leaf))
    }
    const specs = typeof environment === 'string' ? [await readSpec(environment)] : await starterSpecs()
    const { demand } = await import('../challenges/playChallenges.ts')
    await runFromAccount(flags, session => demand(session, { ...leaf, specs }, showBond(flags)))
  },
}

/** Shows challenges, closes those that are due, and takes what they owe. */
async function settle(action: 'list' | 'bonds' | 'close' | 'withdraw', flags: Values): Promise<void> {
  const [play, { listBonds }] = await Promise.all([
    import('../challenges/playChallenges.ts'),
    import('../challenges/challengeBonds.ts'),
  ])
  if (action === 'close' || action === 'withdraw') return runFromAccount(flags, play[action])
  const read: (session: ReadSession) => Promise<object> = action === 'list' ? play.list : listBonds
  showResult(await withReader(flags, read), flags.json === true)
}

/** What starter models play by, as the chain names it: with the hash of their judge. */
async function starterSpecs() {
  const { loadEnvironments } = await import('#environments/builtIn.ts')
  return Object.values(await loadEnvironments()).map(({ spec }) => spec)
}
