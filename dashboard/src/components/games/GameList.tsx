import { GAMES_PER_PAGE } from '#merge/readPage.ts'
import type { GameList as Games } from '#sources/getGames.ts'
import type { Part } from '#sources/part.ts'
import { Notice } from '../Notice.tsx'
import { Pager } from '../Pager.tsx'
import { PartDown } from '../PartDown.tsx'
import { GameCard } from './GameCard.tsx'

/** The market's games, newest first. */
export async function GameList({ games, page }: { games: Promise<Part<Games>>; page: number }) {
  const part = await games
  if (part.state === 'down')
    return (
      <div className="mt-8">
        <PartDown part={part} />
      </div>
    )
  if (part.data.games.length === 0)
    return (
      <div className="mt-8">
        <Notice title={page === 1 ? 'No game has been opened yet.' : 'There is no such page.'}>
          A Judge opens one with npx waggle market create.
        </Notice>
      </div>
    )
  return (
    <>
      <ul className="mt-8 grid items-start gap-5 lg:grid-cols-2">
        {part.data.games.map(game => (
          <GameCard key={String(game.gameId)} game={game} />
        ))}
      </ul>
      <Pager page={page} pages={Math.ceil(part.data.total / GAMES_PER_PAGE)} href={to => `/market?page=${to}`} />
    </>
  )
}
