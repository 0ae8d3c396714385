import Link from 'next/link'
import { formatShare } from '#merge/format.ts'
import { formatTokens } from '#merge/formatTokens.ts'
import { type BettorGame, type BettorScore, bettorGames, bettorScore } from '#merge/games/bettorRecord.ts'
import { gameTitle } from '#merge/games/gameTitle.ts'
import { BETTOR_BETS, type Bettor } from '#sources/market/getBettor.ts'
import { BlockTime } from '../BlockTime.tsx'
import { gameStatus } from '../gameStatus.ts'
import { Notice } from '../Notice.tsx'
import { PeerLink } from '../PeerLink.tsx'

/** One account in the market: its peers, what it bet, the outcome, and how well its stakes predicted what won. */
export function BettorProfile({ bettor }: { bettor: Bettor }) {
  return (
    <>
      {bettor.peers.items.length > 0 && (
        <ul className="flex flex-wrap gap-x-6 gap-y-2">
          {bettor.peers.items.map(peer => (
            <li key={peer.peerKey}>
              <PeerLink peer={peer} />
            </li>
          ))}
        </ul>
      )}
      {bettor.gameBets.totalCount > 0 ? (
        <Bets bettor={bettor} />
      ) : (
        <div className="mt-6">
          <Notice title="This account has not bet yet." />
        </div>
      )}
    </>
  )
}

function Bets({ bettor }: { bettor: Bettor }) {
  const games = bettorGames(bettor)
  const total = (of: (game: BettorGame) => bigint) => formatTokens(games.reduce((sum, game) => sum + of(game), 0n))
  const { totalCount } = bettor.gameBets
  return (
    <>
      <dl className="mt-6 grid grid-cols-2 gap-x-10 gap-y-4 sm:grid-cols-5">
        <Fact title="Bets">{String(totalCount)}</Fact>
        <Fact title="Games">{String(games.length)}</Fact>
        <Fact title="Staked, Nectar">{total(game => game.staked)}</Fact>
        <Fact title="Claimed, Nectar">{total(game => game.claimed)}</Fact>
        <Fact title="To claim, Nectar">{total(game => game.claimable)}</Fact>
      </dl>
      {totalCount > BETTOR_BETS && <p className="mt-2 text-sm text-soft">Of the newest {BETTOR_BETS} bets.</p>}
      <Score score={bettorScore(games)} />
      <section aria-labelledby="games" className="mt-12">
        <h2 id="games" className="text-3xl">
          Games
        </h2>
        <ul className="mt-3">
          {games.map(game => (
            <GameRow key={String(game.gameId)} game={game} />
          ))}
        </ul>
      </section>
    </>
  )
}

function Fact({ title, children }: { title: string; children: string }) {
  return (
    <div className="min-w-0 border-t border-line pt-2">
      <dt className="text-sm text-soft">{title}</dt>
      <dd className="figures mt-0.5 text-2xl font-semibold">{children}</dd>
    </div>
  )
}

const cell = 'border-b border-line py-1.5 pr-6'

function Score({ score }: { score: BettorScore | null }) {
  if (score === null) return null
  return (
    <section aria-labelledby="beliefs" className="mt-12">
      <h2 id="beliefs" className="text-3xl">
        Calibration
      </h2>
      <p className="mt-2 max-w-prose text-soft">
        The part of its stakes on a choice is read as its belief. Over {score.games}{' '}
        {score.games === 1 ? 'game' : 'games'} with a winner its Brier score is{' '}
        <strong className="figures text-ink">{score.brier.toFixed(2)}</strong>, and that of all stakes in them{' '}
        <strong className="figures text-ink">{score.marketBrier.toFixed(2)}</strong>: 0 is best, 2 is worst.
      </p>
      <table className="mt-4 text-left text-sm">
        <caption className="pb-2 text-left text-soft">
          Stakes are calibrated where, line by line, the choices win as often as the stakes say.
        </caption>
        <thead className="text-soft">
          <tr>
            {['Of its stakes', 'Won', 'Choices'].map(title => (
              <th key={title} scope="col" className={`${cell} font-medium`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="figures">
          {score.calibration.map(({ staked, won, choices }) => (
            <tr key={staked}>
              <th scope="row" className={`${cell} font-medium`}>
                {formatShare(staked)}
              </th>
              <td className={cell}>{formatShare(won)}</td>
              <td className={cell}>{choices}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function GameRow({ game: { gameId, game, stakes, claimed, claimable, lastBetSec } }: { game: BettorGame }) {
  const { question, nameOf } = gameTitle(gameId, game.details)
  return (
    <li className="border-t border-line py-3">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6">
        <Link href={`/market/${gameId}`} className="min-w-0 break-words font-semibold underline">
          {question}
        </Link>
        <span className="text-sm text-honey-ink">{gameStatus[game.status]}</span>
      </div>
      <ul className="mt-1 text-sm">
        {stakes.map(({ choice, stake }) => (
          <li key={choice} className="flex justify-between gap-4">
            <span className="min-w-0 break-words">
              on {nameOf(choice)}
              {game.winner === choice && <span className="font-medium text-leaf"> won</span>}
            </span>
            <span className="figures shrink-0">{formatTokens(stake)} Nectar</span>
          </li>
        ))}
      </ul>
      <p className="mt-1 text-sm text-soft">
        <BlockTime atSec={lastBetSec} />
        {claimed > 0n && `, claimed ${formatTokens(claimed)} Nectar`}
        {claimable > 0n && `, has ${formatTokens(claimable)} Nectar to claim`}
      </p>
    </li>
  )
}
