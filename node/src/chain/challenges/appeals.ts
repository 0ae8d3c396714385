import { phase, settlementOutcomes } from '@waggle/deployments/protocol'
import type { AccountAddress, AccountKey, PeerKey } from '#core/hashes.ts'
import type { OutboxIntent } from '#core/outboxStore.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import type { EventReader } from '../rounds/roundEvents.ts'
import type { SettlementOutcome } from '../votes/readSettlements.ts'
import { type AppealPlace, appealCommitment, appealSalt } from './appealCommitment.ts'
import { challengeIntent } from './challengeIntent.ts'

/** The current state of a case; `openedRound`, `appellant` and `drawn` are of its newest appeal. */
export type AppealCase = {
  round: number
  peerKey: PeerKey
  level: number
  openedRound: number
  appellant: AccountAddress
  bondWei: bigint
  drawn: number
  isClosed: boolean
  settledOutcome: SettlementOutcome
  /** 0 unless the outcome is `scored`, which is not a score of 0. */
  settledMilli: number
  finalMilli: number
  /** First round in which it can be closed; a round earlier if its bundle was found to be gone. */
  closesFrom: number
}

/** Rounds from an appeal until its case is usually closed. */
const CASE_ROUNDS = 12

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
  peerKey: PeerKey,
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
    settledOutcome: settlementOutcomes[state.settledOutcome] ?? 'none',
    settledMilli,
    finalMilli,
    closesFrom,
  }
}

/** The seats that judge the newest appeal of a case, by position. */
export function readJury(
  { rpc, rpcUrl }: ChainClient,
  { challenges }: Contracts,
  round: number,
  peerKey: PeerKey,
): Promise<readonly PeerKey[]> {
  const args = [BigInt(round), peerKey] as const
  return callChain(rpcUrl, () => rpc.readContract({ ...challenges, functionName: 'juryOf', args }))
}

/** The bond of an appeal, wei. */
export function readAppealBond(
  { rpc, rpcUrl }: ChainClient,
  { challenges }: Contracts,
  level: number,
): Promise<bigint> {
  return callChain(rpcUrl, () => rpc.readContract({ ...challenges, functionName: 'appealBond', args: [level] }))
}

export type Appeal = { round: number; peerKey: PeerKey; level: 1 | 2; dueRound: number; bondWei: bigint }

/** Appeals a settled score, or a verdict on it, in the one round that allows it. */
export function openAppeal(
  contracts: Contracts,
  { round, peerKey, level, dueRound, bondWei: valueWei }: Appeal,
): OutboxIntent {
  const bounds = { fromRound: dueRound, throughRound: dueRound, valueWei }
  return challengeIntent(contracts, `${round}:${peerKey}:${level}`, 'appeal', [BigInt(round), peerKey], bounds)
}

/** Wei that closing a case credited to an account. */
export async function readClosingCredit(
  { rpc }: ChainClient,
  { challenges }: Contracts,
  events: EventReader,
  { round, peerKey, openedRound }: Pick<AppealCase, 'round' | 'peerKey' | 'openedRound'>,
  account: AccountAddress,
): Promise<bigint> {
  const closing = { ...challenges, eventName: 'AppealClosed', args: { round: BigInt(round), peerKey } } as const
  const credited = { ...challenges, eventName: 'Credited', args: { account } } as const
  const logs = await events.inRounds({ first: openedRound, last: openedRound + CASE_ROUNDS }, async range => {
    const [closed, credits] = await Promise.all([
      rpc.getContractEvents({ ...closing, strict: true, ...range }),
      rpc.getContractEvents({ ...credited, strict: true, ...range }),
    ])
    const calls = new Set(closed.map(({ transactionHash }) => transactionHash))
    return credits.filter(({ transactionHash }) => calls.has(transactionHash))
  })
  return logs.reduce((sum, { args }) => sum + args.amount, 0n)
}

/** The account's credit from challenges, wei. */
export function readCredit(
  { rpc, rpcUrl }: ChainClient,
  { challenges }: Contracts,
  account: AccountAddress,
): Promise<bigint> {
  return callChain(rpcUrl, () => rpc.readContract({ ...challenges, functionName: 'creditOf', args: [account] }))
}

export type SeatVerdict = AppealPlace & { openedRound: number; scoreMilli: number }

type VerdictCalls = { commit: OutboxIntent; reveal: OutboxIntent }

/** A seat's verdict, sealed in the round after the appeal and opened in the next. */
export function seatVerdict(contracts: Contracts, accountKey: AccountKey, verdict: SeatVerdict): VerdictCalls {
  const { round, peerKey, level, position, seatKey, openedRound, scoreMilli } = verdict
  const at = { chainId: contracts.chainId, challenges: contracts.challenges.address }
  const salt = appealSalt(accountKey, at, verdict)
  const commitment = appealCommitment(at, verdict, scoreMilli, salt)
  const id = `${round}:${peerKey}:${level}:${position}`
  const place = [BigInt(round), peerKey, position] as const
  const within = (dueRound: number) => ({ fromRound: dueRound, throughRound: dueRound })
  return {
    commit: challengeIntent(
      contracts,
      id,
      'commitVerdict',
      [...place, seatKey, commitment],
      within(openedRound + phase.voting),
    ),
    reveal: challengeIntent(
      contracts,
      id,
      'revealVerdict',
      [...place, scoreMilli, salt],
      within(openedRound + phase.revealing),
    ),
  }
}

/** Closes a case; may be called early: it is sent when it is due. */
export function closeAppeal(contracts: Contracts, { round, peerKey, closesFrom }: AppealCase): OutboxIntent {
  const args = [BigInt(round), peerKey] as const
  return challengeIntent(contracts, `${round}:${peerKey}`, 'closeAppeal', args, { fromRound: closesFrom })
}

/** Rounds from an appeal to that in which its verdicts are revealed. */
export const REVEALED_AFTER = 2

/** A seat's verdict: 0 to 1000, or `UNAVAILABLE`. */
type RevealedVerdict = { seatKey: PeerKey; scoreMilli: number }

/** The verdicts of an appeal's seats. */
export async function readVerdicts(
  { rpc }: ChainClient,
  { challenges }: Contracts,
  events: EventReader,
  { round, peerKey, level, openedRound }: Pick<AppealCase, 'round' | 'peerKey' | 'level' | 'openedRound'>,
): Promise<RevealedVerdict[]> {
  const revealed = { ...challenges, eventName: 'VerdictRevealed', args: { round: BigInt(round), peerKey } } as const
  const dueRound = openedRound + REVEALED_AFTER
  const logs = await events.inRounds({ first: dueRound, last: dueRound }, range =>
    rpc.getContractEvents({ ...revealed, strict: true, ...range }),
  )
  return logs
    .filter(({ args }) => args.level === level)
    .map(({ args: { seatKey, scoreMilli } }) => ({ seatKey, scoreMilli }))
}
