import { formatTokens } from '#merge/formatTokens.ts'
import { termsOf } from '#merge/games/gameClock.ts'
import { gameHistory, type PriceLine, pricedBets, priceLines } from '#merge/games/gameHistory.ts'
import { gameTitle } from '#merge/games/gameTitle.ts'
import type { Game } from '#sources/getGames.ts'
import { Notice } from '../Notice.tsx'
import { AccountLink } from './AccountLink.tsx'
import { BetTicket } from './BetTicket.tsx'
import { ChoiceTable } from './ChoiceTable.tsx'
import { Clue } from './Clue.tsx'
import { GameBets } from './GameBets.tsx'
import { GameCountdown } from './GameCountdown.tsx'
import { OwnBets } from './OwnBets.tsx'
import { PriceChart } from './PriceChart.tsx'
import { StakeChart } from './StakeChart.tsx'

/** One game: its question, evidence, stakes over time, a ticket to bet with, and what the reader's bets can pay. */
export function GameProfile({ game }: { game: Game }) {
  const { question, nameOf } = gameTitle(game.gameId, game.details)
  const choices = game.choices.items.map(({ choice }) => ({ choice, name: nameOf(choice) }))
  const gameId = String(game.gameId)
  const { status, roundCount, clues } = game
  const terms = termsOf(game)
  return (
    <>
      <h1 className="mt-3 break-words text-4xl sm:text-5xl">{question}</h1>
      <p className="mt-3 text-soft">
        Game {gameId}, {formatTokens(game.totalStake)} Nectar staked in {game.bets} {game.bets === 1 ? 'bet' : 'bets'}.
        The Judge <AccountLink account={game.judge} /> answers with a bond of {formatTokens(game.bond)}
        {game.feeBps > 0 && `, for ${game.feeBps / 100} % of the losing stakes`}.
      </p>
      <GameCountdown terms={terms} />
      {/* The ticket stands first in the document: a browser paints a page as it arrives, and nothing above may come later. */}
      <div className="mt-8 grid gap-x-10 gap-y-10 lg:grid-cols-[1fr_22rem] lg:grid-rows-[auto_1fr] lg:gap-y-6">
        {status === 'open' && (
          <div className="lg:col-start-2">
            <BetTicket gameId={gameId} choices={choices} minBet={String(game.minBet)} terms={terms} />
          </div>
        )}
        <div className="min-w-0 space-y-10 lg:col-start-1 lg:row-span-2 lg:row-start-1">
          <section aria-labelledby="choices">
            <h2 id="choices" className="text-2xl">
              Choices
            </h2>
            <div className="mt-3 rounded-cell border border-line bg-comb">
              <ChoiceTable game={game} nameOf={nameOf} />
            </div>
            {game.placed.items.length > 0 && (
              <StakeChart names={choices.map(({ name }) => name)} history={gameHistory(game)} />
            )}
          </section>
          <Evidence clues={clues.items} rounds={roundCount} />
          <Prices lines={priceLines(game)} nameOf={nameOf} />
          <GameBets bets={pricedBets(game).slice(0, 25)} payouts={game.payouts.items} nameOf={nameOf} />
        </div>
        <div className="lg:col-start-2">
          <OwnBets {...{ gameId, choices, terms }} feeBps={game.feeBps} totalStake={String(game.totalStake)} />
        </div>
      </div>
    </>
  )
}

function Prices({ lines, nameOf }: { lines: PriceLine[]; nameOf: (choice: number) => string }) {
  if (lines.length === 0) return null
  return (
    <section aria-labelledby="prices">
      <h2 id="prices" className="text-2xl">
        Prices
      </h2>
      <p className="mt-2 text-sm text-soft">
        What bets pay for a share, in Nectar: all of a round on a choice the same, which each further one may raise
        until its betting closes. Shares cost more in later rounds. Winning shares divide the losing stakes.
      </p>
      <PriceChart lines={lines} nameOf={nameOf} />
    </section>
  )
}

function Evidence({ clues, rounds }: { clues: Game['clues']['items']; rounds: number }) {
  return (
    <section aria-labelledby="evidence">
      <h2 id="evidence" className="text-2xl">
        Evidence
      </h2>
      <div className="mt-3">
        {clues.length === 0 ? (
          <Notice title="No clue has been revealed yet.">
            The Judge committed to {rounds} of them, and proves one after each round of bets.
          </Notice>
        ) : (
          <ol className="space-y-2">
            {clues.map(({ round, clue }) => (
              <li key={round} className="rounded-cell bg-honey-pale px-4 py-3">
                <span className="block text-sm text-soft">
                  After round {round + 1} of {rounds}
                </span>
                <Clue text={clue} />
              </li>
            ))}
          </ol>
        )}
      </div>
    </section>
  )
}
