import type { Duty } from '#chain/peers/readStake.ts'
import type { Values } from '../command.ts'
import { defineCommand } from '../defineCommand.ts'
import { unknownWord } from '../nearest.ts'
import { peerOnChain } from '../options/commonSettings.ts'
import { jsonOption } from '../options/optionKinds.ts'
import { readableAmount } from '../readableAmount.ts'
import { openPeerFolder, withAccount } from '../withSession.ts'

/** Stakes Nectar of a peer's account for a duty, or shows what is staked. */
export const stake = defineCommand({
  usage: `npx waggle stake DUTY [OPTIONS]
npx waggle stake show [OPTIONS]`,
  about: `Raises the stake of a duty to the full amount: evaluator (a seat, from the next round or the end of bootstrap on) or proposer (the right to propose tasks). A running peer stakes automatically when bootstrap ends and it has earned enough.

show prints what the peer stakes as evaluator and as proposer, and the duties that it missed.`,
  own: jsonOption,
  peer: peerOnChain,
  positionals: ['DUTY'],
  async run({ json }, [duty = ''], flags) {
    if (duty === 'show') return show(flags, json)
    const known = dutyOf(duty, 'show')
    const { stakeFor } = await import('../account/manageStake.ts')
    const done = await withAccount(flags, session => stakeFor(session, known))
    print(json, done, `staked ${done.staked} Nectar as ${done.duty} (${done.hash})`)
  },
})

/** Starts the release of a stake, and withdraws it once it is released. */
export const unstake = defineCommand({
  usage: 'npx waggle unstake DUTY [OPTIONS]',
  about:
    "Gives notice of a stake (evaluator or proposer): the duty ends with the round, a proposer's two rounds later, and the stake is released after 12 rounds. Run it again then to withdraw the stake. Let a proposer run for those two rounds, or it loses 0.5 Nectar for each. A running peer keeps its role, without a seat, and does not stake for it automatically until you run npx waggle stake.",
  own: jsonOption,
  peer: peerOnChain,
  positionals: ['DUTY'],
  async run({ json }, [duty = ''], flags) {
    const known = dutyOf(duty)
    const { unstake: leave } = await import('../account/manageStake.ts')
    const done = await withAccount(flags, session => leave(session, known))
    const words = 'withdrawn' in done ? `withdrew ${done.withdrawn} Nectar` : `free from round ${done.freeFromRound}`
    print(json, done, `${done.duty}: ${words} (${done.hash})`)
  },
})

async function show(flags: Values, json: boolean): Promise<void> {
  const folder = await openPeerFolder(flags)
  const { readStakes } = await import('../account/manageStake.ts')
  const found = await readStakes(folder)
  const lines = found.stakes.map(({ duty, amount, full, freeFromRound, hasLeft }) => {
    const notice = freeFromRound === null ? '' : `, free from round ${freeFromRound}`
    const left = hasLeft ? '; the peer does not stake again automatically' : ''
    return `${duty.padEnd(10)} ${amount} of ${full} Nectar${notice}${left}`
  })
  const rest = `misses     ${found.misses}
balance    ${readableAmount(found.balance)} Nectar
round      ${found.round}; stakes are needed from round ${found.bootstrapRounds} on`
  print(json, found, [...lines, rest].join('\n'))
}

/** @param action - an action that is accepted instead of a duty. */
function dutyOf(text: string, action?: 'show'): Duty {
  if (text === 'evaluator' || text === 'proposer') return text
  const duties = ['evaluator', 'proposer']
  if (action === undefined) throw unknownWord('duty', text, duties)
  const otherwise = `The duties are ${duties.join(' and ')}; npx waggle stake ${action} prints the stakes.`
  throw unknownWord('duty', text, [...duties, action], otherwise)
}

function print(json: boolean, found: unknown, words: string): void {
  console.log(json ? JSON.stringify(found) : words)
}
