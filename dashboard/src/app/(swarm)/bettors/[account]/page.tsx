import type { Metadata } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { Suspense } from 'react'
import { BettorProfile } from '#components/games/BettorProfile.tsx'
import { PartDown } from '#components/PartDown.tsx'
import { JudgedGames } from '#components/peers/JudgedGames.tsx'
import { Skeleton } from '#components/Skeleton.tsx'
import { shorten } from '#merge/format.ts'
import { getBettorData, readAccount } from './getBettorData.ts'

interface Props {
  params: Promise<{ account: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `Bets of ${shorten((await params).account)}` }
}

export default async function BettorPage({ params }: Props) {
  const account = readAccount((await params).account)
  if (account === null) notFound()
  return (
    <>
      <nav aria-label="Back" className="text-sm">
        <Link href="/market" className="inline-block py-1">
          All games
        </Link>
      </nav>
      <h1 className="mt-3 text-4xl sm:text-5xl">Bets</h1>
      <p className="figures mt-2 break-all text-soft">{account}</p>
      <div className="mt-6">
        <Suspense fallback={<Skeleton lines={12} waitsFor="indexer" />}>
          <Bets account={account} />
        </Suspense>
      </div>
    </>
  )
}

async function Bets({ account }: { account: string }) {
  const [part, judged] = await getBettorData(account)
  return (
    <>
      {part.state === 'down' ? <PartDown part={part} /> : <BettorProfile bettor={part.data} />}
      <JudgedGames judged={judged} />
    </>
  )
}
