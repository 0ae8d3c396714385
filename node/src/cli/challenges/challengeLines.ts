import { formatEther } from 'viem'
import { LOOK_BACK } from '#chain/challenges/leafDemands.ts'
import { peerName } from '#core/peers/peerName.ts'
import { milliWords } from '#roles/evidence/milliWords.ts'
import { readableAmount } from '../readableAmount.ts'
import type { list } from './playChallenges.ts'

type Listed = Awaited<ReturnType<typeof list>>

/** Demands and appeals for people: what is still open, then what is closed, then what the account is owed. */
export function challengeLines({ round, demands, appeals, credit }: Listed): string[] {
  const cases = [
    ...demands.map(demand => ({ isOpen: demand.state === 'open', line: demandLine(demand, round) })),
    ...appeals.map(appeal => ({ isOpen: !appeal.isClosed, line: appealLine(appeal, round) })),
  ]
  const listed = (title: string, isOpen: boolean) => {
    const lines = cases.filter(one => one.isOpen === isOpen).map(({ line }) => `  ${line}`)
    return [`${title}${lines.length === 0 ? ' none' : ''}`, ...lines]
  }
  const owed =
    credit === null
      ? []
      : [
          `owed   ${readableAmount(credit)} of the native coin${credit === '0' ? '' : ': npx waggle challenge withdraw'}`,
        ]
  return [
    ...listed('open', true),
    ...listed('closed', false),
    ...owed,
    `the current round is ${round}; the last ${LOOK_BACK} are searched`,
  ]
}

const who = ({ peerId, peerKey }: { peerId: string | null; peerKey: string }) =>
  peerId === null ? peerKey : peerName(peerId)

const bond = (wei: string) => `bond ${readableAmount(formatEther(BigInt(wei)))} of the native coin`

function demandLine(demand: Listed['demands'][number], now: number): string {
  const { round, index, state, bondWei, throughRound } = demand
  const due = throughRound < now ? 'can be closed: npx waggle challenge close' : `to be shown by round ${throughRound}`
  const outcome: Record<typeof state, string> = {
    none: 'unknown',
    open: due,
    shown: 'the leaf was shown',
    withheld: 'the leaf was withheld, and the peer lost its round',
  }
  return `demand for leaf ${index} of ${who(demand)} in round ${round}: ${outcome[state]}; ${bond(bondWei)}`
}

function appealLine(appeal: Listed['appeals'][number], now: number): string {
  const { round, level, isClosed, closesFrom, bondWei } = appeal
  const due = closesFrom <= now ? 'can be closed: npx waggle challenge close' : `is closed from round ${closesFrom} on`
  const outcome = isClosed ? closedWords(appeal) : `${settledWords(appeal)}; ${due}`
  const which = level === 2 ? 'second appeal' : 'appeal'
  return `${which} for ${who(appeal)} in round ${round}: ${outcome}; ${bond(bondWei)}`
}

type SettledScore = Pick<Listed['appeals'][number], 'settledOutcome' | 'settledMilli' | 'finalMilli'>

/** A peer whose answers were unavailable has no score, which is not a score of 0. */
const settledWords = ({ settledOutcome, settledMilli }: SettledScore) =>
  settledOutcome === 'scored' ? `a score of ${milliWords(settledMilli)}` : 'no score'

function closedWords(appeal: SettledScore): string {
  const { settledOutcome, settledMilli, finalMilli } = appeal
  const isScored = settledOutcome === 'scored'
  if (finalMilli !== settledMilli)
    return `from ${isScored ? milliWords(settledMilli) : 'no score'} to ${milliWords(finalMilli)}`
  return isScored ? `the score stands at ${milliWords(finalMilli)}` : 'it still has no score'
}
