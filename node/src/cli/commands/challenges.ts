import { printDealing } from '../challengeDesk.ts'
import type { Command } from '../command.ts'
import { chainOptions, chainUsage } from '../networkOptions.ts'
import { UsageError } from '../usageError.ts'

const actions = ['list', 'close', 'withdraw'] as const

/** Shows challenges, closes those that are due, and takes what they owe. */
export const challenges: Command = {
  usage: `npm run waggle -- challenges ACTION [OPTIONS]

  list                demands and appeals of the last rounds, and what the account is owed
  close               close whatever is due; anyone may
  withdraw            take bonds that came back, and pay

${chainUsage}`,
  options: chainOptions,
  positionals: ['ACTION'],
  async run(flags, [action = '']) {
    const known = actions.find(name => name === action)
    if (known === undefined)
      throw new UsageError(`Challenges know no action ${action}.`, { hint: `Use ${actions.join(', ')}.` })
    const play = await import('#roles/playChallenges.ts')
    await printDealing(flags, play[known])
  },
}
