import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { Suspense } from 'react'
import { GameProfile } from '#components/games/GameProfile.tsx'
import { PartDown } from '#components/PartDown.tsx'
import { Skeleton } from '#components/Skeleton.tsx'
import { soon } from '#sources/part.ts'
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
  const asked = getGameData(gameId)
  const found = await soon(asked)
  return (
    <>
      <nav aria-label="Back" className="text-sm">
        <Link href="/market" className="inline-block py-1">
          All games
        </Link>
      </nav>
      {found !== null ? (
        <GameView gameId={gameId} part={found} />
      ) : (
        <Suspense fallback={<Skeleton lines={12} title={`Game ${gameId}`} waitsFor="indexer" />}>
          <LateGame gameId={gameId} asked={asked} />
        </Suspense>
      )}
    </>
  )
}

type GamePart = Awaited<ReturnType<typeof getGameData>>

async function LateGame({ gameId, asked }: { gameId: string; asked: Promise<GamePart> }) {
  return <GameView gameId={gameId} part={await asked} />
}

function GameView({ gameId, part }: { gameId: string; part: GamePart }) {
  if (part.state === 'ready') return part.data === null ? notFound() : <GameProfile game={part.data} />
  return (
    <>
      <h1 className="mt-3 mb-6 text-4xl">Game {gameId}</h1>
      <PartDown part={part} />
    </>
  )
}
