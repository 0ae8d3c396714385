import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { getGame } from '#sources/getGames.ts'
import { games } from '../../../test/fixtures/games.ts'
import { GameCard } from './GameCard.tsx'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

test('the accounts of bettors and of a Judge, who need no peer, lead to what they do in the market', async () => {
  vi.stubEnv('WAGGLE_INDEXER_URL', 'http://127.0.0.1:1')
  vi.stubGlobal('fetch', async () => Response.json({ data: { game: games.find(({ gameId }) => gameId === '1') } }))
  const part = await getGame('1')
  if (part.state === 'down' || part.data === null) throw new Error('expected a game')
  const markup = renderToStaticMarkup(<GameCard game={part.data} />)
  const links = [...markup.matchAll(/href="([^"]*0x[^"]*)"/g)].map(([, href]) => href?.slice(0, 15))
  expect(links).toEqual(['/bettors/0x90f7', '/bettors/0x7099', '/bettors/0x3c44', '/bettors/0x7099'])
})
