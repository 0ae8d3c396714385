import type { Hex } from '#core/hex.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { type AppealPlace, appealCommitment, appealSalt } from './appealCommitment.ts'
import { callChain } from './callChain.ts'
import { challengeIntent } from './challengeIntent.ts'
import type { ChainClient } from './connectChain.ts'
import type { Contracts } from './contracts.ts'
import type { EventReader } from './roundEvents.ts'

/** A case as the chain has it now; `openedRound`, `appellant` and `drawn` are of its newest appeal. */
export type AppealCase = {
  round: number
  peerKey: Hex
  level: number
  openedRound: number
  appellant: Hex
  bondWei: bigint
  drawn: number
  isClosed: boolean
  settledMilli: number
  finalMilli: number
  /** First round in which it can be closed; one found to be of a bundle that is gone, a round earlier. */
  closesFrom: number
}

/** The cases with an appeal that was opened in some rounds. */
export async function readAppeals(
  chain: ChainClient,
  contracts: Contracts,
  events: EventReader,
  rounds: { first: number; last: number },
): Promise<AppealCase[]> {
  const { rpc } = chain
  const logs = await events.inRounds(rounds, range =>
    rpc.getContractEvents({ ...contracts.challenges, eventName: 'AppealOpened', strict: true, ...range }),
  )
  const keys = new Map(logs.map(({ args: { round, peerKey } }) => [`${round}:${peerKey}`, { round, peerKey }]))
  return Promise.all([...keys.values()].map(({ round, peerKey }) => readCase(chain, contracts, Number(round), peerKey)))
}

export async function readCase(
  { rpc, rpcUrl }: ChainClient,
  { challenges }: Contracts,
  round: number,
  peerKey: Hex,
): Promise<AppealCase> {
  const args = [BigInt(round), peerKey] as const
  const state = await callChain(rpcUrl, () => rpc.readContract({ ...challenges, functionName: 'caseOf', args }))
  const { levels: level, isClosed, settledMilli, finalMilli, last } = state
  const openedRound = Number(last.openedRound)
  const isLast = level === 2 || last.drawn === last.seats
  const { appellant, bondWei, drawn } = last
  const closesFrom = openedRound + (isLast ? 3 : 4)
  return {
    round,
    peerKey,
    level,
    openedRound,
    appellant,
    bondWei,
    drawn,
    isClosed,
    settledMilli,
    finalMilli,
    closesFrom,
  }
}

/** The seats that judge the newest appeal of a case, by position. */
export function readBench(
  { rpc, rpcUrl }: ChainClient,
  { challenges }: Contracts,
  round: number,
  peerKey: Hex,
): Promise<readonly Hex[]> {
  const args = [BigInt(round), peerKey] as const
  return callChain(rpcUrl, () => rpc.readContract({ ...challenges, functionName: 'benchOf', args }))
}

/** The bond of an appeal, wei. */
export function readAppealBond(
  { rpc, rpcUrl }: ChainClient,
  { challenges }: Contracts,
  level: number,
): Promise<bigint> {
  return callChain(rpcUrl, () => rpc.readContract({ ...challenges, functionName: 'appealBond', args: [level] }))
}

/** What the account is owed by challenges, wei. */
export function readCredit({ rpc, rpcUrl }: ChainClient, { challenges }: Contracts, account: Hex): Promise<bigint> {
  return callChain(rpcUrl, () => rpc.readContract({ ...challenges, functionName: 'creditOf', args: [account] }))
}

export type SeatVerdict = AppealPlace & { openedRound: number; scoreMilli: number }

type VerdictCalls = { commit: OutboxIntent; reveal: OutboxIntent }

/** A seat's verdict, sealed in the round after the appeal and opened in the next. */
export function seatVerdict(contracts: Contracts, accountKey: Hex, verdict: SeatVerdict): VerdictCalls {
  const { round, peerKey, level, position, seatKey, openedRound, scoreMilli } = verdict
  const at = { chainId: contracts.chainId, challenges: contracts.challenges.address }
  const salt = appealSalt(accountKey, at, verdict)
  const commitment = appealCommitment(at, verdict, scoreMilli, salt)
  const id = `${round}:${peerKey}:${level}:${position}`
  const place = [BigInt(round), peerKey, position] as const
  const within = (dueRound: number) => ({ fromRound: dueRound, throughRound: dueRound })
  return {
    commit: challengeIntent(contracts, id, 'commitVerdict', [...place, seatKey, commitment], within(openedRound + 1)),
    reveal: challengeIntent(contracts, id, 'revealVerdict', [...place, scoreMilli, salt], within(openedRound + 2)),
  }
}

/** Closes a case; may be called early: it is sent when the time comes. */
export function closeAppeal(contracts: Contracts, { round, peerKey, closesFrom }: AppealCase): OutboxIntent {
  const args = [BigInt(round), peerKey] as const
  return challengeIntent(contracts, `${round}:${peerKey}`, 'closeAppeal', args, { fromRound: closesFrom })
}
