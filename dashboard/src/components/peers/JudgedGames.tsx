import Link from 'next/link'
import { gameTitle } from '#merge/games/gameTitle.ts'
import type { Judged } from '#sources/market/getJudged.ts'
import { gameStatus } from '../gameStatus.ts'

/** Games that are listed. */
const SHOWN = 10

/** The newest games that an account opened as a Judge; nothing if it opened none, or if it is not known. */
export function JudgedGames({ judged }: { judged: Judged | null }) {
  if (judged === null) return null
  return (
    <section aria-labelledby="judged" className="mt-12">
      <h2 id="judged" className="text-3xl">
        Games it opened
      </h2>
      <ul className="mt-3 text-sm">
        {judged.items.slice(0, SHOWN).map(({ gameId, details, status, winner }) => {
          const { question, nameOf } = gameTitle(gameId, details)
          return (
            <li
              key={String(gameId)}
              className="flex flex-wrap items-baseline justify-between gap-x-6 border-t border-line py-2"
            >
              <span className="min-w-0 break-words">
                <Link href={`/market/${gameId}`} className="underline">
                  {question}
                </Link>
                {winner !== null && (
                  <>
                    : {nameOf(winner)} <span className="text-leaf">won</span>
                  </>
                )}
              </span>
              <span className="text-soft">
                Game {String(gameId)}, {gameStatus[status].toLowerCase()}
              </span>
            </li>
          )
        })}
      </ul>
      {judged.totalCount > SHOWN && (
        <Link href="/market" className="mt-2 inline-block py-1 text-sm underline">
          All games of the market
        </Link>
      )}
    </section>
  )
}
