import type { CommandAction, Values } from '../command.ts'
import { defineCommand, required } from '../defineCommand.ts'
import { readSpec } from '../models/chatModels.ts'
import { knownAction } from '../nearest.ts'
import { peerOnChain } from '../options/commonSettings.ts'
import { count, jsonOption, numberOption, textOption } from '../options/optionKinds.ts'
import { readPeerKey } from '../options/readPeerId.ts'
import { runFromAccount, showBond } from '../runFromAccount.ts'
import { showResult } from '../showResult.ts'
import { UsageError } from '../usageError.ts'
import { withReader } from '../withSession.ts'

const actions = [
  {
    name: 'demand',
    arguments: 'PEER_ID',
    text: "demand that the peer show a sampled leaf on the chain, in the first or second round after the leaf's own, with a bond in the chain's native coin. If the peer answers, the bond comes back less the gas of the answer. If nobody answers by the end of the next round, the whole bond comes back and the peer loses its round",
  },
  {
    name: 'prove',
    arguments: 'PEER_ID',
    text: "prove on the chain that the peer committed a leaf with a wrong seed or policy, without a bond: the peer loses its round. The folder must hold the peer's bundle: folders of peers that took part in the round, and of gateways, do",
  },
  {
    name: 'list',
    text: "list demands and appeals of the last rounds, open ones first, and what the folder's account, if there is one, is owed",
  },
  { name: 'bonds', text: 'print the bonds of a demand and an appeal, and what happens to them; nothing is sent' },
  { name: 'close', text: 'close all challenges that are due; anyone may' },
  { name: 'withdraw', text: 'withdraw returned bonds and rewards' },
] as const satisfies readonly CommandAction[]

const own = {
  round: numberOption('the round of the leaf'),
  place: count(0, 999_999_999)
    .default(0)
    .meta({ value: 'N', description: 'index of the leaf among the sampled leaves, from 0' }),
  environment: textOption('FILE', "specification of the round's environment, if it is not the starter's"),
  ...jsonOption,
}

/** Demands a sampled leaf on the chain, proves a false one, and closes open cases. */
export const challenge = defineCommand({
  usage: `npx waggle challenge demand PEER_ID --round N [OPTIONS]
npx waggle challenge prove PEER_ID --round N [OPTIONS]
npx waggle challenge list|bonds|close|withdraw [OPTIONS]`,
  about: "list and bonds only read the chain; the other actions send from the account in the peer's folder.",
  own,
  peer: peerOnChain,
  actions,
  positionals: ['ACTION'],
  morePositionals: ['PEER_ID'],
  async run({ round, place, environment, json }, [action = '', peerId], flags) {
    const known = knownAction(action, actions)
    if (known !== 'demand' && known !== 'prove') {
      if (peerId === undefined) return settle(known, flags, json)
      throw new UsageError(`challenge ${known} does not take '${peerId}'.`, {
        hint: 'See npx waggle challenge --help.',
      })
    }
    if (peerId === undefined)
      throw new UsageError(`challenge ${known} needs PEER_ID.`, { hint: 'See npx waggle challenge --help.' })
    const leaf = { peerKey: readPeerKey(peerId), round: required('round', round), place }
    if (known === 'prove') {
      const { showFault } = await import('../challenges/showFault.ts')
      return runFromAccount(flags, json, session => showFault(session, leaf))
    }
    const specs = environment !== undefined ? [await readSpec(environment)] : await starterSpecs()
    const { demand } = await import('../challenges/playChallenges.ts')
    await runFromAccount(flags, json, session => demand(session, { ...leaf, specs }, showBond(json)))
  },
})

/** Lists challenges, closes those that are due, and withdraws what the account is owed. */
async function settle(action: 'list' | 'bonds' | 'close' | 'withdraw', flags: Values, json: boolean): Promise<void> {
  const [play, { bondLines, listBonds }] = await Promise.all([
    import('../challenges/playChallenges.ts'),
    import('../challenges/challengeBonds.ts'),
  ])
  if (action === 'close' || action === 'withdraw') return runFromAccount(flags, json, play[action])
  if (action === 'bonds') {
    const bonds = await withReader(flags, listBonds)
    return json ? showResult(bonds, true) : console.log(bondLines(bonds).join('\n'))
  }
  const [listed, { challengeLines }] = await Promise.all([
    withReader(flags, play.list),
    import('../challenges/challengeLines.ts'),
  ])
  if (json) showResult(listed, true)
  else console.log(challengeLines(listed).join('\n'))
}

/** The starter's specification with the hash of its judge, as the chain has it. */
async function starterSpecs() {
  const { loadEnvironments } = await import('#environments/builtIn.ts')
  return Object.values(await loadEnvironments()).map(({ spec }) => spec)
}
