import type { Game } from '#chain/games/readGame.ts'
import { readableAmount } from '../readableAmount.ts'
import { strangersLine, strangersText } from '../textStream.ts'
import type { GameInTokens, ListedGames } from './listGames.ts'
import type { ShownGame } from './showGame.ts'

const columns = ['game', 'state', 'next', 'staked', 'to claim'] as const

/** Games as a table, and what the account can do about them. Amounts have four decimals; `--json` has the exact ones. */
export function gameLines({ games, owed, chainTimeSec }: ListedGames): string[] {
  if (games.length === 0) return ['No game has been opened yet.']
  const rows = games.map(game => [
    game.gameId,
    stateOf(game),
    nextOf(game, chainTimeSec) ?? '·',
    readableAmount(game.totalStake),
    claimOf(game),
  ])
  const claimable = games.find(game => claimOf(game) !== '·')
  return [
    ...table([[...columns], ...rows]),
    'newest first, amounts in Nectar; npx waggle market show --game N prints a question, its choices and clues',
    ...(claimable ? [`to take a payout: npx waggle market claim --game ${claimable.gameId}`] : []),
    ...(owed === null || owed === '0'
      ? []
      : [`${readableAmount(owed)} Nectar owed to the account: npx waggle market withdraw`]),
  ]
}

/** One game for people. Its Judge may be anybody: nobody has checked the texts. */
export function oneGameLines(game: ShownGame): string[] {
  const { chainTimeSec, minBet, bond, feeBps, totalStake, claimable } = game
  const next = nextOf(game, chainTimeSec)
  const fee = feeBps === 0 ? '' : `, for ${feeBps / 100} % of the losing stakes`
  const choices = game.choices.map(({ name, stake, price }, at) => [
    `  ${at}`,
    strangersLine(name),
    `${readableAmount(stake)} Nectar`,
    price === null ? '' : `${readableAmount(price)} a share`,
  ])
  const question = game.question ?? 'its question is no longer among the events that are searched'
  return [
    `game ${game.gameId}: ${strangersLine(question)}`,
    `state      ${stateOf(game)}${next === null ? '' : `; ${next}`}`,
    `staked     ${readableAmount(totalStake)} Nectar; a bet is at least ${readableAmount(minBet)}`,
    `judge      ${game.judge}, with a bond of ${readableAmount(bond)} Nectar${fee}`,
    ...(claimable === null || claimable === '0'
      ? []
      : [`to claim   ${readableAmount(claimable)} Nectar: npx waggle market claim --game ${game.gameId}`]),
    'choices',
    ...table(choices, false),
    game.clues.length === 0 ? 'no clue yet' : 'clues',
    ...game.clues.map((clue, at) => `  ${at + 1}  ${strangersText(clue).replaceAll('\n', '\n     ')}`),
  ]
}

type Quoted = { round: number; choice: number; stake: string; price: string; shares: string; payout: string }

/** A quote for people: shares, price and payout of a bet. */
export function quoteLines({ round, choice, stake, price, shares, payout }: Quoted): string[] {
  return [
    `${readableAmount(stake)} Nectar on choice ${choice} buy ${readableAmount(shares)} shares at ${readableAmount(price)}, in round ${round + 1}`,
    `they pay ${readableAmount(payout)} Nectar if it wins and nobody bets after you, and nothing if it does not`,
  ]
}

function stateOf({ phase, round, roundCount, answer }: GameInTokens): string {
  if (phase === 'betting' || phase === 'awaiting clue') return `${phase}, round ${round + 1} of ${roundCount}`
  return answer === null ? phase : `${phase}: choice ${answer}`
}

function nextOf(game: GameInTokens, nowSec: number): string | null {
  const step = gameStep(game)
  return step && `${step.says} ${fromNow(step.atSec, nowSec)}`
}

const claimOf = ({ claimable }: GameInTokens) =>
  claimable === null || claimable === '0' ? '·' : readableAmount(claimable)

/** Rows in columns. @param isRight - the last two columns are numbers. */
function table(rows: readonly (readonly string[])[], isRight = true): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map(row => row[at]?.length ?? 0)))
  return rows.map(row =>
    row
      .map((text, at) => {
        const width = widths[at] ?? 0
        return isRight && at >= row.length - 2 ? text.padStart(width) : text.padEnd(width)
      })
      .join('  ')
      .trimEnd(),
  )
}

type Terms = Pick<Game, 'phase' | 'round' | 'roundCount' | 'startsAtSec' | 'bettingSec' | 'revealSec' | 'cluesRevealed'>

/** The next step in a game by its phase, and its time, in Unix seconds of the chain; null if no time is set. */
function gameStep(game: Terms): { says: string; atSec: number } | null {
  const { phase, round, roundCount, startsAtSec, bettingSec, revealSec, cluesRevealed } = game
  const opensAt = (of: number) => startsAtSec + of * (bettingSec + revealSec)
  if (phase === 'waiting') return { says: 'betting opens', atSec: opensAt(Math.min(cluesRevealed, roundCount - 1)) }
  if (phase === 'betting') return { says: 'betting closes', atSec: opensAt(round) + bettingSec }
  if (phase === 'awaiting clue') return { says: 'clue due', atSec: opensAt(round + 1) }
  return phase === 'awaiting answer' ? { says: 'answer due', atSec: opensAt(round + 1) } : null
}

/** A moment as seen from now: `in 45 s`, `in 12 min`, `3 h ago`. */
function fromNow(atSec: number, nowSec: number): string {
  const left = atSec - nowSec
  return left >= 0 ? `in ${span(left)}` : `${span(-left)} ago`
}

function span(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`
}
