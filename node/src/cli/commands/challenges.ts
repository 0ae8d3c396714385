import type { Command } from '../command.ts'
import { unknownWord } from '../nearest.ts'
import { chainOptions, chainUsage } from '../networkOptions.ts'
import { runFromAccount } from '../runFromAccount.ts'

const actions = ['list', 'bonds', 'close', 'withdraw'] as const

/** Shows challenges, closes those that are due, and takes what they owe. */
export const challenges: Command = {
  usage: `npx waggle challenges ACTION [OPTIONS]

  list                demands and appeals of the last rounds, and what the account is owed
  bonds               what a demand and an appeal take now, and what becomes of it; nothing is sent
  close               close whatever is due; anyone may
  withdraw            take bonds that came back, and pay

${chainUsage}`,
  options: chainOptions,
  positionals: ['ACTION'],
  async run(flags, [action = '']) {
    const known = actions.find(name => name === action)
    if (known === undefined) throw unknownWord('action', action, actions)
    const [play, { listBonds }] = await Promise.all([
      import('#roles/playChallenges.ts'),
      import('#roles/challengeBonds.ts'),
    ])
    await runFromAccount(flags, { ...play, bonds: listBonds }[known])
  },
}
