import { z } from 'zod'
import { readMarketToken } from '#chain/games/marketToken.ts'
import { readGame } from '#chain/games/readGame.ts'
import { readGameTexts } from '#chain/games/readGameTexts.ts'
import type { ReadSession } from '#roles/readSession.ts'
import { gameInTokens } from './listGames.ts'

/** A Judge's description of a game; the contract does not check it. */
const aboutSchema = z.object({ question: z.string(), choices: z.array(z.string()) })

/**
 * One game with its texts: the question, the choices by name, and the revealed clues. If the Judge's text is not a question with choices, the
 * whole text is the question; it is null if its event cannot be found.
 */
export async function showGame(session: ReadSession, gameId: bigint) {
  const { client, contracts } = session
  const [token, game, { timeSec }] = await Promise.all([
    readMarketToken(client, contracts),
    readGame(client, contracts, gameId),
    client.heads.read(),
  ])
  const [texts, inTokens] = await Promise.all([
    readGameTexts(client, contracts, game),
    gameInTokens(session, token, game),
  ])
  const about = readAbout(texts?.details ?? null)
  const choices = inTokens.choices.map((choice, at) => ({ name: about.choices[at] ?? `choice ${at}`, ...choice }))
  const { question } = about
  return { token: token.symbol, chainTimeSec: timeSec, question, clues: texts?.clues ?? [], ...inTokens, choices }
}

export type ShownGame = Awaited<ReturnType<typeof showGame>>

function readAbout(details: string | null): { question: string | null; choices: string[] } {
  try {
    return aboutSchema.parse(JSON.parse(details ?? ''))
  } catch {
    return { question: details, choices: [] }
  }
}
