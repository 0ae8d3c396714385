import Link from 'next/link'
import { formatTokens } from '#merge/formatTokens.ts'
import { termsOf } from '#merge/games/gameClock.ts'
import { gameTitle } from '#merge/games/gameTitle.ts'
import { isOver } from '#merge/games/marketRows.ts'
import type { Game } from '#sources/getGames.ts'
import { gameStatus } from '../gameStatus.ts'
import { AccountLink } from './AccountLink.tsx'
import { ChoiceTable } from './ChoiceTable.tsx'
import { Clue } from './Clue.tsx'
import { GameCountdown } from './GameCountdown.tsx'

/** One game: its question, its next step, the stakes on each choice, its clues, the newest bets, and payouts. One that is over shows its winner, and the rest on demand. */
export function GameCard({ game }: { game: Game }) {
  const { question, nameOf } = gameTitle(game.gameId, game.details)
  const label = `game-${game.gameId}`
  return (
    <li className="min-w-0 rounded-cell border border-line bg-comb">
      <article aria-labelledby={label}>
        <header className="border-b border-line px-4 py-3">
          <p className="flex items-baseline justify-between gap-3 text-sm text-soft">
            <span>
              Game {String(game.gameId)}, round {Math.min(game.roundsOpened, game.roundCount)} of {game.roundCount}
            </span>
            <span className="font-medium text-honey-ink">{gameStatus[game.status]}</span>
          </p>
          <h2 id={label} className="mt-1 break-words text-xl">
            <Link href={`/market/${game.gameId}`}>{question}</Link>
          </h2>
          <p className="mt-1 text-sm text-soft">
            {formatTokens(game.totalStake)} Nectar staked in {game.bets} {game.bets === 1 ? 'bet' : 'bets'}; the Judge{' '}
            <AccountLink account={game.judge} /> answers with a bond of {formatTokens(game.bond)}
          </p>
          {game.status === 'open' && <GameCountdown terms={termsOf(game)} isSmall />}
        </header>
        {isOver(game.status) ? (
          <>
            <p className="min-w-0 break-words px-4 pt-3">{outcome(game, nameOf)}</p>
            <details>
              <summary className="px-4 pt-1 pb-3 text-sm font-medium text-soft underline">
                Choices, clues and payouts
              </summary>
              <Course game={game} nameOf={nameOf} />
            </details>
          </>
        ) : (
          <Course game={game} nameOf={nameOf} />
        )}
      </article>
    </li>
  )
}

interface CourseProps {
  game: Game
  nameOf: (choice: number) => string
}

function Course({ game, nameOf }: CourseProps) {
  return (
    <>
      <ChoiceTable game={game} nameOf={nameOf} />
      <Clues clues={game.clues.items} />
      <Money game={game} nameOf={nameOf} />
    </>
  )
}

function outcome({ winner }: Game, nameOf: (choice: number) => string) {
  if (winner === null) return 'It is void: every stake can be taken back.'
  return (
    <>
      {nameOf(winner)} <span className="text-sm text-leaf">won</span>
    </>
  )
}

function Clues({ clues }: { clues: Game['clues']['items'] }) {
  if (clues.length === 0) return null
  return (
    <section className="border-t border-line px-4 py-3">
      <h3 className="text-sm font-medium text-soft">Clues</h3>
      <ol className="mt-1 list-decimal space-y-1 pl-6">
        {clues.map(({ round, clue }) => (
          <li key={round}>
            <Clue text={clue} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function Money({ game, nameOf }: CourseProps) {
  const { placed, payouts } = game
  if (placed.items.length === 0) return null
  return (
    <section className="border-t border-line px-4 py-3 text-sm">
      <h3 className="font-medium text-soft">{payouts.items.length > 0 ? 'Paid out' : 'Newest bets'}</h3>
      <ul className="mt-1">
        {payouts.items.length > 0
          ? payouts.items.map(({ id, account, payout }) => (
              <Line key={id} account={account} amount={payout} what="took" />
            ))
          : placed.items.map(({ id, account, round, choice, stake }) => (
              <Line key={id} account={account} amount={stake} what={`on ${nameOf(choice)}, round ${round + 1}`} />
            ))}
      </ul>
    </section>
  )
}

function Line({ account, amount, what }: { account: string; amount: bigint; what: string }) {
  return (
    <li className="flex justify-between gap-3 py-0.5">
      <span className="min-w-0 truncate">
        <AccountLink account={account} /> {what}
      </span>
      <span className="figures">{formatTokens(amount)}</span>
    </li>
  )
}
