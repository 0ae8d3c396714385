import { formatEther } from 'viem'
import { type AppealCase, closeAppeal, readAppeals, readCredit } from '#chain/challenges/appeals.ts'
import { challengeIntent } from '#chain/challenges/challengeIntent.ts'
import { judgeSeats, readSeatsToJudge } from '#chain/challenges/judgeSeats.ts'
import {
  closeDemand,
  demandLeaf,
  type LeafDemand,
  LOOK_BACK,
  readDemandBond,
  readDemands,
} from '#chain/challenges/leafDemands.ts'
import { readPeerIds } from '#chain/peers/readPeers.ts'
import { readRound } from '#chain/rounds/readRound.ts'
import { createEventReader } from '#chain/rounds/roundEvents.ts'
import { readRolloutCommitments } from '#chain/work/commitments.ts'
import { readEnvironment } from '#chain/work/readEnvironment.ts'
import type { PeerKey } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { type EnvironmentSpec, environmentBytes, environmentHash } from '#environments/environmentSpec.ts'
import { type AccountSession, CallRefusedError } from '#roles/accountSession.ts'
import type { ReadSession } from '#roles/readSession.ts'
import { announceBond, bondOf, type OnBond } from './challengeBonds.ts'

type JudgingSession = Pick<AccountSession, 'client' | 'contracts' | 'send'>

export type Receipt = { hash: Hex; block: number }

/** A peer's leaf, by its place in the draw of the round's sampled leaves. */
type LeafChoice = { peerKey: PeerKey; round: number; place: number; specs: readonly EnvironmentSpec[] }

/** Demands a sampled leaf on the chain. */
export async function demand(session: AccountSession, { peerKey, round, place, specs }: LeafChoice, onBond: OnBond) {
  const { client, contracts } = session
  const hash = await readEnvironment(client, contracts, round)
  const spec = specs.find(one => environmentHash(one) === hash)
  if (spec === undefined)
    throw new CallRefusedError(`Round ${round} has the environment ${hash}, which is unknown here.`, {
      hint: 'Give the specification with --environment FILE.',
    })
  const events = createEventReader(client, contracts)
  const commitments = await readRolloutCommitments(client, contracts, events, round)
  const commitment = commitments.find(one => one.peerKey === peerKey)
  if (commitment === undefined)
    throw new CallRefusedError(`The peer committed nothing in round ${round}.`, {
      hint: 'A round can be challenged in the two rounds after it.',
    })
  const bondWei = await readDemandBond(client, contracts)
  const bond = bondOf('demand', bondWei)
  await announceBond(session, bond, onBond)
  const missing = { round, commitment, place, specification: environmentBytes(spec) }
  return { round, peerKey, place, ...bond, ...receipt(await session.send(demandLeaf(contracts, missing, bondWei))) }
}

/** Demands and appeals of the last rounds, and what the account is owed; null without an account. */
export async function list(session: ReadSession) {
  const { client, contracts, account } = session
  const { round, demands, appeals } = await readCases(session)
  const [credit, peerIds] = await Promise.all([
    account && readCredit(client, contracts, account),
    readPeerIds(
      client,
      contracts,
      [...demands, ...appeals].map(({ peerKey }) => peerKey),
    ),
  ])
  const shown = <T extends { bondWei: bigint }>({ bondWei, ...one }: T, at: number) => ({
    ...one,
    peerId: peerIds[at] ?? null,
    bondWei: `${bondWei}`,
  })
  return {
    round,
    demands: demands.map(shown),
    appeals: appeals.map((one, at) => shown(one, demands.length + at)),
    account,
    credit: credit === null ? null : formatEther(credit),
    creditWei: credit === null ? null : `${credit}`,
  }
}

/** Closes every case that is due, and judges the seats of cases that others closed; anyone may. */
export async function close(session: JudgingSession) {
  const { round, demands, appeals } = await readCases(session)
  const closed = []
  for (const one of demands.filter(({ state, throughRound }) => state === 'open' && throughRound < round)) {
    const { round: of, peerKey, index } = one
    closed.push({ round: of, peerKey, index, ...receipt(await session.send(closeDemand(session.contracts, one))) })
  }
  for (const one of appeals.filter(({ isClosed, closesFrom }) => !isClosed && closesFrom <= round)) {
    const { round: of, peerKey } = one
    const sent = receipt(await session.send(closeAppeal(session.contracts, one)))
    closed.push({ round: of, peerKey, ...sent, judgedSeats: await judgeAll(session, one) })
  }
  const judged = []
  for (const one of appeals.filter(({ isClosed }) => isClosed)) {
    const judgedSeats = await judgeAll(session, one)
    if (judgedSeats > 0) judged.push({ round: one.round, peerKey: one.peerKey, judgedSeats })
  }
  return { closed, judged }
}

/** Pays or slashes the seats of a closed case that nobody has judged. @returns how many it sent. */
async function judgeAll(session: JudgingSession, found: AppealCase): Promise<number> {
  const { client, contracts } = session
  let judged = 0
  for (const seats of await readSeatsToJudge(client, contracts, found)) {
    const isDone = await session.send(judgeSeats(contracts, seats)).then(
      () => true,
      error => (error instanceof CallRefusedError && !error.retryable ? false : Promise.reject(error)),
    )
    if (isDone) judged += seats.positions.length
  }
  return judged
}

/** Withdraws what the account is owed: returned bonds and rewards. */
export async function withdraw(session: AccountSession) {
  const { client, contracts, account } = session
  const creditWei = await readCredit(client, contracts, account)
  if (creditWei === 0n) return { account, amount: '0', amountWei: '0' }
  const sent = await session.send(challengeIntent(contracts, session.id(), 'withdraw', [account]))
  return { account, amount: formatEther(creditWei), amountWei: `${creditWei}`, ...receipt(sent) }
}

async function readCases({ client, contracts }: Pick<ReadSession, 'client' | 'contracts'>): Promise<{
  round: number
  demands: LeafDemand[]
  appeals: AppealCase[]
}> {
  const events = createEventReader(client, contracts)
  const round = await readRound(client, contracts)
  const rounds = { first: Math.max(0, round - LOOK_BACK), last: round }
  const demands = await readDemands(client, contracts, events, rounds)
  return { round, demands, appeals: await readAppeals(client, contracts, events, rounds) }
}

const receipt = ({ hash, block }: Receipt): Receipt => ({ hash, block })
