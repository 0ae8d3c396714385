import Link from 'next/link'
import { type ReactNode, Suspense } from 'react'
import { formatNectar, formatPoints } from '#merge/format.ts'
import { formatCoin } from '#merge/formatTokens.ts'
import { judgeSentence } from '#merge/games/judgeSentence.ts'
import { isOnlyJudge, isSolver } from '#merge/peerHistory.ts'
import { describeWork } from '#merge/peers/describeWork.ts'
import type { SeenPeer } from '#sources/gateway.ts'
import type { PeerAnswer } from '#sources/getPeerRecord.ts'
import type { Part } from '#sources/part.ts'
import { CopyText } from '../CopyText.tsx'
import { DanceGlyph } from '../DanceGlyph.tsx'
import { OwnTag } from '../OwnTag.tsx'
import { PeerRelease, ReleaseFact } from './PeerRelease.tsx'
import { UnsurePoints } from './UnsurePoints.tsx'

interface Props {
  peer: NonNullable<PeerAnswer['peer']>
  record: PeerAnswer
  seen: Promise<Part<SeenPeer>>
}

/** A peer's identity: name, dance, id, account, roles and balances. */
export function PeerHead({ peer, record, seen }: Props) {
  const standing = record.standings.items[0]
  const compensationWei = standing?.compensationWei ?? '0'
  return (
    <header className="grid gap-x-10 gap-y-6 md:grid-cols-[9rem_1fr]">
      <DanceGlyph peerKey={peer.peerKey} size={144} />
      <div className="min-w-0">
        <h1 className="text-4xl sm:text-6xl">
          {peer.name} <OwnTag peerKey={peer.peerKey} />
        </h1>
        {[describeWork(record), judgeSentence(record.judged)].map(
          sentence =>
            sentence && (
              <p key={sentence} className="mt-3 text-lg">
                {sentence}
              </p>
            ),
        )}
        <dl className="mt-6 grid gap-x-10 gap-y-4 sm:grid-cols-2">
          {/* Others have no points, and a rank among them says nothing. */}
          {isSolver(record) && <PointFacts standing={standing} />}
          <PurseFacts purse={record.purses.items[0]} />
          {record.stakes.items.map(stake => (
            <Fact key={stake.duty} title={`Staked as ${stake.duty}`}>
              <Figure>{formatNectar(stake.amountWei)}</Figure> <Note>{stakeNote(stake)}</Note>
            </Fact>
          ))}
          {record.peerCredits.items.map(({ source, owed }) => (
            <Fact key={source} title={owedBy[source].title}>
              <Figure>{owedBy[source].format(owed)}</Figure>{' '}
              <Note>
                {owedBy[source].unit}; its owner takes it with{' '}
                <code className="figures block">{owedBy[source].command}</code>
              </Note>
            </Fact>
          ))}
          {compensationWei !== '0' && (
            <Fact title="Paid to its account by appeals">
              <Figure>{formatNectar(compensationWei)}</Figure> <Note>Nectar of overturned seats</Note>
            </Fact>
          )}
          <Fact title="Peer id">
            <CopyText text={peer.peerId} label="peer id" />
          </Fact>
          <Fact title="Account">
            <CopyText text={peer.account} label="account" />
            <Link href={`/bettors/${peer.account.toLowerCase()}`} className="inline-block py-1 text-sm underline">
              Its bets
            </Link>
          </Fact>
          {/* A gateway meets peers of rounds, and its Judge runs no node. */}
          {!isOnlyJudge(record) && (
            <Suspense fallback={<ReleaseFact release="…" note="asking the gateway" />}>
              <PeerRelease seen={seen} />
            </Suspense>
          )}
        </dl>
      </div>
    </header>
  )
}

function PointFacts({ standing }: { standing: PeerAnswer['standings']['items'][number] | undefined }) {
  return (
    <>
      <Fact title="Points">
        <Figure>{formatPoints(standing?.finalPointsMilli ?? 0)}</Figure>{' '}
        {standing !== undefined && <UnsurePoints points={standing} className="mr-3 text-sm" />}
      </Fact>
      <Fact title="Rank">
        <Figure>{standing?.rank ?? '–'}</Figure>
      </Fact>
    </>
  )
}

/** Nectar of each kind that the peer earned, and how much of it was claimed. */
function PurseFacts({ purse }: { purse: PeerAnswer['purses']['items'][number] | undefined }) {
  return (
    <>
      {earnedBy.map(({ title, of }) =>
        purse === undefined || purse[of] === '0' ? null : (
          <Fact key={of} title={title}>
            <Figure>{formatNectar(purse[of])}</Figure>
          </Fact>
        ),
      )}
      <Fact title="Nectar claimed">
        <Figure>{formatNectar(purse?.claimedWei)}</Figure>{' '}
        {purse !== undefined && purse.claimableWei !== '0' && (
          <span className="figures text-sm text-honey-ink">
            {formatNectar(purse.claimableWei)}
            <span className="font-sans"> to claim</span>
          </span>
        )}
      </Fact>
    </>
  )
}

function Figure({ children }: { children: ReactNode }) {
  return <span className="figures text-2xl font-semibold">{children}</span>
}

function Note({ children }: { children: ReactNode }) {
  return <span className="text-sm text-soft">{children}</span>
}

function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="min-w-0 border-t border-line pt-2">
      <dt className="text-sm text-soft">{title}</dt>
      <dd className="mt-0.5">{children}</dd>
    </div>
  )
}

const earnedBy = [
  { title: 'Nectar by scores', of: 'scoreWei' },
  { title: 'Nectar by openings', of: 'openingWei' },
  { title: 'Nectar by tasks', of: 'taskWei' },
] as const

const owedBy = {
  challenges: {
    title: 'Owed to its account by challenges',
    format: (wei: string) => formatCoin(BigInt(wei)),
    unit: 'of the chain’s coin',
    command: 'npx waggle challenge withdraw',
  },
  market: {
    title: 'Owed to its account by the market',
    format: formatNectar,
    unit: 'Nectar',
    command: 'npx waggle market withdraw',
  },
} as const

function stakeNote({ slashedWei, freeFromRound }: PeerAnswer['stakes']['items'][number]): string {
  const slashed = slashedWei === '0' ? '' : `${formatNectar(slashedWei)} slashed`
  const leaving = freeFromRound === null ? '' : `free from round ${freeFromRound}`
  return [slashed, leaving].filter(note => note !== '').join(', ')
}
