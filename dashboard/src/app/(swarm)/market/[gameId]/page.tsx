import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { GameProfile } from '#components/games/GameProfile.tsx'
import { PartDown } from '#components/PartDown.tsx'
import { gameSummary, getGameData, readGameId } from './getGameData.ts'

interface Props {
  params: Promise<{ gameId: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const gameId = readGameId((await params).gameId)
  const { question: title, lines } = gameSummary(gameId === null ? null : await getGameData(gameId))
  const description = lines.join(', ')
  return { title, description, openGraph: { title, description } }
}

export default async function GamePage({ params }: Props) {
  const gameId = readGameId((await params).gameId)
  if (gameId === null) notFound()
  const part = await getGameData(gameId)
  if (part.state === 'ready' && part.data === null) notFound()
  return (
    <>
      <nav aria-label="Back" className="text-sm">
        <Link href="/market" className="inline-block py-1">
          All games
        </Link>
      </nav>
      {part.state === 'down' ? (
        <>
          <h1 className="mt-3 mb-6 text-4xl">Game {gameId}</h1>
          <PartDown part={part} />
        </>
      ) : (
        part.data && <GameProfile game={part.data} />
      )}
    </>
  )
}
