import type { AccountAddress } from '#core/hashes.ts'
import type { Hex } from '#core/hex.ts'
import { callChain } from '../callChain.ts'
import type { ChainClient } from '../connectChain.ts'
import type { Contracts } from '../contracts.ts'
import { refusalOf } from '../guard/sendOutcome.ts'

/** Phases of a game, by the contract's number. */
export const gamePhases = [
  'unknown',
  'waiting',
  'betting',
  'awaiting clue',
  'awaiting answer',
  'disputable',
  'disputed',
  'resolution due',
  'resolved',
  'void',
] as const
export type GamePhase = (typeof gamePhases)[number]

/** Amounts are in the token's smallest unit, prices in 1e18 fixed point. */
export type Game = {
  gameId: bigint
  judge: Hex
  phase: GamePhase
  /** Round that takes bets now, or took them last. */
  round: number
  roundCount: number
  cluesRevealed: number
  startsAtSec: number
  bettingSec: number
  revealSec: number
  disputeSec: number
  minBet: bigint
  bond: bigint
  /** The Judge's part of the losing stakes if its answer stands, in ten-thousandths. */
  feeBps: number
  totalStake: bigint
  /** Null until the Judge has proven it; after resolution, the winning choice. */
  answer: number | null
  choices: readonly { stake: bigint; shares: bigint; price: bigint }[]
}

/** A game with its choices, priced in its present round. */
export async function readGame({ rpc, rpcUrl }: ChainClient, contracts: Contracts, gameId: bigint): Promise<Game> {
  const market = contracts.predictionMarket
  const { config, judge, phase, round, cluesRevealed, answered, answer, totalStake } = await callChain(rpcUrl, () =>
    rpc.readContract({ ...market, functionName: 'gameOf', args: [gameId] }),
  )
  // Between two rounds, a bettor needs the least prices of the next one, which are known already.
  const priced = Math.min(cluesRevealed, config.roundCount - 1)
  const choices = await Promise.all(
    Array.from({ length: config.choiceCount }, async (_, choice) => {
      const [[stake, shares], price] = await callChain(rpcUrl, () =>
        Promise.all([
          rpc.readContract({ ...market, functionName: 'choiceOf', args: [gameId, choice] }),
          rpc.readContract({ ...market, functionName: 'priceOf', args: [gameId, priced, choice] }),
        ]),
      )
      return { stake, shares, price }
    }),
  )
  const { roundCount, startsAtSec, bettingSec, revealSec, disputeSec, minBet, bond, feeBps } = config
  return {
    gameId,
    judge,
    phase: gamePhases[phase] ?? 'unknown',
    round,
    roundCount,
    cluesRevealed,
    startsAtSec,
    bettingSec,
    revealSec,
    disputeSec,
    minBet,
    bond,
    feeBps,
    totalStake,
    answer: answered ? answer : null,
    choices,
  }
}

/** Number of games; their ids run from 0. */
export function readGameCount({ rpc, rpcUrl }: ChainClient, contracts: Contracts): Promise<bigint> {
  return callChain(rpcUrl, () => rpc.readContract({ ...contracts.predictionMarket, functionName: 'gameCount' }))
}

/** The account's credit in the market besides its positions: returned bonds, and pay. */
export function readMarketCredit(
  { rpc, rpcUrl }: ChainClient,
  contracts: Contracts,
  account: AccountAddress,
): Promise<bigint> {
  return callChain(rpcUrl, () =>
    rpc.readContract({ ...contracts.predictionMarket, functionName: 'creditOf', args: [account] }),
  )
}

/** Stakes of an account on all choices of a game; without that on the winning one once it is claimed. */
export async function readStaked(
  { rpc, rpcUrl }: ChainClient,
  contracts: Contracts,
  { gameId, choices }: Pick<Game, 'gameId' | 'choices'>,
  account: AccountAddress,
): Promise<bigint> {
  const call = { ...contracts.predictionMarket, functionName: 'positionOf' } as const
  const read = (choice: number) => rpc.readContract({ ...call, args: [gameId, choice, holderOf(account)] })
  const positions = await callChain(rpcUrl, () => Promise.all(choices.map((_, choice) => read(choice))))
  return positions.reduce((sum, [stake]) => sum + stake, 0n)
}

/** Payout of an account's position in a game; 0 until the game has ended. */
export function readClaimable(
  { rpc, rpcUrl }: ChainClient,
  contracts: Contracts,
  gameId: bigint,
  account: AccountAddress,
): Promise<bigint> {
  const args = [gameId, holderOf(account)] as const
  return callChain(rpcUrl, () => rpc.readContract({ ...contracts.predictionMarket, functionName: 'claimableOf', args }))
}

const holderOf = (account: AccountAddress): Hex => `0x${account.slice(2).padStart(64, '0')}`

/** Payout of the account's claim: that of a game that is due as well, since a claim ends it. */
export async function readPayout(
  chain: ChainClient,
  contracts: Contracts,
  { gameId, phase }: Pick<Game, 'gameId' | 'phase'>,
  account: AccountAddress,
): Promise<bigint> {
  if (phase !== 'resolution due') return readClaimable(chain, contracts, gameId, account)
  const claim = { ...contracts.predictionMarket, functionName: 'claim', args: [gameId], account } as const
  const payout = await callChain(chain.rpcUrl, () =>
    chain.rpc.simulateContract(claim).then(
      ({ result }) => result,
      // Of an account without a payout it is refused, in words that differ between endpoints.
      cause => (refusalOf(cause) === null ? Promise.reject(cause) : null),
    ),
  )
  return payout ?? readClaimable(chain, contracts, gameId, account)
}

/** Shares of a bet if no other bet follows in its round, and its payout if its choice wins and nobody bets after it. */
type Quote = { shares: bigint; payout: bigint }

export async function quoteBet(
  { rpc, rpcUrl }: ChainClient,
  contracts: Contracts,
  { gameId, choice, stake }: { gameId: bigint; choice: number; stake: bigint },
): Promise<Quote> {
  const args = [gameId, choice, stake] as const
  const [shares, payout] = await callChain(rpcUrl, () =>
    rpc.readContract({ ...contracts.predictionMarket, functionName: 'quote', args }),
  )
  return { shares, payout }
}
