import { type ReactNode, Suspense } from 'react'
import { isOnlyJudge, isSolver, peerHistory, scoreSeries, settledScores } from '#merge/peerHistory.ts'
import type { Canary, SeenPeer } from '#sources/gateway.ts'
import type { PeerAnswer } from '#sources/getPeerRecord.ts'
import type { Sampled } from '#sources/getSampled.ts'
import type { Training } from '#sources/getTraining.ts'
import type { Bettor } from '#sources/market/getBettor.ts'
import type { Part } from '#sources/part.ts'
import { PeerCanary } from '../canary/PeerCanary.tsx'
import { Notice } from '../Notice.tsx'
import { PartDown } from '../PartDown.tsx'
import { RewardChart } from '../RewardChart.tsx'
import { SamplingSpeed, SpeedFigure } from '../SamplingSpeed.tsx'
import { Skeleton } from '../Skeleton.tsx'
import { AppealScore } from './AppealScore.tsx'
import { DemandLeaf } from './DemandLeaf.tsx'
import { JudgedGames } from './JudgedGames.tsx'
import { PeerActions } from './PeerActions.tsx'
import { PeerBets } from './PeerBets.tsx'
import { PeerHead } from './PeerHead.tsx'
import { PeerHistory } from './PeerHistory.tsx'
import { PeerTraining } from './PeerTraining.tsx'

/** Commitments of which an answer may still be demanded, at most. */
const DEMANDABLE = 3

interface Props {
  peerKey: string
  part: Part<PeerAnswer>
  /** Null where its account is not known. */
  bets: Promise<Part<Bettor>> | null
  canary: Promise<Part<Canary>>
  training: Promise<Part<Training | null>>
  sampled: Promise<Part<Sampled | null>>
  seen: Promise<Part<SeenPeer>>
  /** Page of its rounds. */
  page: number
}

/** Explains why there is no score: none has come yet, or none will. */
function NoScores({ isSolver }: { isSolver: boolean }) {
  if (isSolver)
    return (
      <Notice title="No round of this peer has been settled yet.">
        Solvers are settled three rounds after they commit.
      </Notice>
    )
  return (
    <Notice title="Only solvers are scored.">
      Evaluators are paid for openings that agree, and proposers for tasks that are neither too easy nor too hard: what
      this peer earned stands with its rounds.
    </Notice>
  )
}

interface RewardsProps {
  isSolver: boolean
  scores: ReturnType<typeof scoreSeries>
  /** Its sampling speed, which the gateway tells late. */
  children: ReactNode
}

function Rewards({ isSolver, scores, children }: RewardsProps) {
  return (
    <section aria-labelledby="rewards" className="mt-12">
      <h2 id="rewards" className="text-3xl">
        Reward history
      </h2>
      <div className="mt-4">
        {scores.length === 0 ? <NoScores isSolver={isSolver} /> : <RewardChart scores={scores} />}
      </div>
      {isSolver && <Suspense fallback={<SpeedFigure speed="…" note="asking the gateway" />}>{children}</Suspense>}
    </section>
  )
}

/** One peer: who it is, what it earned over time, what it did in each round. */
export function PeerProfile({ peerKey, part, bets, canary, training, sampled, seen, page }: Props) {
  if (part.state === 'down')
    return (
      <>
        <h1 className="mb-6 text-4xl">Peer</h1>
        <PartDown part={part} />
      </>
    )
  if (part.data.peer === null) return null
  const history = peerHistory(part.data)
  return (
    <>
      <PeerHead peer={part.data.peer} record={part.data} seen={seen} />
      <PeerActions peerKey={peerKey} />
      <JudgedGames judged={part.data.judged} />
      {!isOnlyJudge(part.data) && (
        <Rewards isSolver={isSolver(part.data)} scores={scoreSeries(history)}>
          <SamplingSpeed sampled={sampled} peerKey={peerKey} />
        </Rewards>
      )}
      {/* One part: many peers have neither curve, and what came late would push the rounds down. */}
      <Suspense fallback={<Skeleton lines={12} waitsFor="gateway" />}>
        <PeerCanary peerKey={peerKey} canary={canary} />
        <PeerTraining training={training} />
        <DemandLeaf
          peerKey={part.data.peer.peerKey}
          committed={part.data.rolloutCommitments.items.slice(0, DEMANDABLE)}
        />
        <AppealScore peerKey={part.data.peer.peerKey} settled={settledScores(history, part.data)} />
        {bets && <PeerBets bets={bets} />}
        {!isOnlyJudge(part.data) && (
          <PeerHistory history={history} page={page} href={to => `/peers/${peerKey}?page=${to}`} />
        )}
      </Suspense>
    </>
  )
}
