import Link from 'next/link'
import { formatTokens } from '#merge/formatTokens.ts'
import { gameTitle } from '#merge/games/gameTitle.ts'
import type { Bettor } from '#sources/market/getBettor.ts'
import type { Part } from '#sources/part.ts'
import { BlockTime } from '../BlockTime.tsx'
import { gameStatus } from '../gameStatus.ts'

/** Number of bets of a peer's account on its page. */
export const NEWEST_BETS = 5

/** The newest bets of a peer's account; its head links to all of them. Nothing where it has none, or the index is down. */
export async function PeerBets({ bets: asked }: { bets: Promise<Part<Bettor>> }) {
  const part = await asked
  if (part.state === 'down' || part.data.gameBets.totalCount === 0) return null
  const bets = part.data.gameBets.items.map((bet, place) => ({ ...bet, place }))
  return (
    <section aria-labelledby="bets" className="mt-12">
      <h2 id="bets" className="text-3xl">
        Newest bets
      </h2>
      <ul className="mt-3 text-sm">
        {bets.map(bet => (
          <BetRow key={bet.place} bet={bet} />
        ))}
      </ul>
    </section>
  )
}

function BetRow({ bet: { gameId, choice, stake, atSec, game } }: { bet: Bettor['gameBets']['items'][number] }) {
  const { question, nameOf } = gameTitle(gameId, game.details)
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-6 border-t border-line py-2">
      <span className="min-w-0 break-words">
        <span className="figures">{formatTokens(stake)}</span> Nectar on {nameOf(choice)}
        {game.winner === choice && <span className="font-medium text-leaf"> won</span>},{' '}
        <Link href={`/market/${gameId}`} className="underline">
          {question}
        </Link>
      </span>
      <span className="text-soft">
        {gameStatus[game.status]}, <BlockTime atSec={atSec} />
      </span>
    </li>
  )
}
