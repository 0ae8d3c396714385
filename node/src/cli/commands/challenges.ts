import type { ReadSession } from '#roles/readSession.ts'
import type { Command } from '../command.ts'
import { unknownWord } from '../nearest.ts'
import { chainOptions, chainUsage } from '../options/networkOptions.ts'
import { runFromAccount } from '../runFromAccount.ts'
import { showResult } from '../showResult.ts'
import { withReader } from '../withSession.ts'

const actions = ['list', 'bonds', 'close', 'withdraw'] as const

/** Shows challenges, closes those that are due, and takes what they owe. */
export const challenges: Command = {
  usage: `npx waggle challenges ACTION [OPTIONS]

list and bonds only read the chain; close and withdraw send from the account in the peer's folder.

  list                list demands and appeals of the last rounds, and what the folder's account, if there is one, is owed
  bonds               print the bonds of a demand and an appeal, and what happens to them; nothing is sent
  close               close all challenges that are due; anyone may
  withdraw            withdraw returned bonds and rewards

${chainUsage}`,
  options: chainOptions,
  positionals: ['ACTION'],
  async run(flags, [action = '']) {
    const known = actions.find(name => name === action)
    if (known === undefined) throw unknownWord('action', action, actions)
    const [play, { listBonds }] = await Promise.all([
      import('../challenges/playChallenges.ts'),
      import('../challenges/challengeBonds.ts'),
    ])
    if (known === 'close' || known === 'withdraw') return runFromAccount(flags, play[known])
    const read: (session: ReadSession) => Promise<object> = known === 'list' ? play.list : listBonds
    showResult(await withReader(flags, read), flags.json === true)
  },
}
