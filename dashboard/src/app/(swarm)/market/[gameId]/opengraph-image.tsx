import { cardSize, socialCard } from '../../../socialCard.tsx'
import { gameSummary, getGameData, readGameId } from './getGameData.ts'

export const size = cardSize
export const contentType = 'image/png'
export const alt = 'A game of the market, and what was bet'

export default async function Image({ params }: { params: Promise<{ gameId: string }> }) {
  const { gameId: text } = await params
  const gameId = readGameId(text)
  const { question, lines } = gameSummary(gameId === null ? null : await getGameData(gameId))
  return socialCard({ kind: 'the market', title: question, lines })
}
