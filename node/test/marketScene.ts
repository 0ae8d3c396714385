import { predictionMarketAbi } from '@waggle/deployments/abi'
import { decodeFunctionData, RpcRequestError } from 'viem'
import { silentLogger } from '#core/logger.ts'
import type { Games } from '#environments/games.ts'
import type { MarketSession } from '#roles/games/marketSession.ts'
import type { GameRules } from '#roles/games/playedGame.ts'

/** Amounts are in whole tokens. */
export type SceneGame = {
  /** Number of a phase in `gamePhases`. */
  phase: number
  /** Whether the session's own account opened it. */
  isOwn?: boolean
  judge?: `0x${string}`
  bond?: number
  bettingSec?: number
  disputeSec?: number
  minBet?: number
  stakes?: readonly number[]
  choices?: readonly string[]
  /** Revealed clues that the endpoint's events tell of; the chain says that all are revealed. */
  toldClues?: number
  /** Error of a call that reads this game. */
  fault?: Error
  /** Block of its dispute. */
  disputedAt?: number
  /** Whether the session's seat is its committee. */
  isDrawn?: boolean
  claimable?: number
  /** Payout of a claim that is simulated; without, the endpoint refuses it, or fails with this error. */
  payout?: number
  refusal?: Error
  /** Hash of the environment that its question is of; that of `rules`. */
  environment?: string
}

const TOKEN = 10n ** 18n
const wei = (tokens: number) => BigInt(Math.round(tokens * 1e6)) * (TOKEN / 1_000_000n)
const CLUES = ['one', ' two']
export const HEAD = 1_000
const ME = `0x${'aa'.repeat(20)}` as const
const JUDGE = `0x${'bb'.repeat(20)}` as const
const SEED = `0x${'11'.repeat(32)}` as const

export const games: Games = {
  draw: () => ({ question: 'Which?', choices: ['a', 'b', 'c'], clues: CLUES, answer: 1 }),
  sequences: async ({ choices }) => choices.map(() => ({ tokens: Int32Array.of(1, 2), from: 1 })),
}
export const rules: GameRules = { games, hash: SEED }
export const clues = [CLUES[0], `${CLUES[1]}\nseed ${SEED}`] as string[]

/** A verdict of an endpoint on a call, in its own words. */
export const refusalIn = (message: string, code = 3) =>
  new RpcRequestError({ body: {}, error: { code, message }, url: 'http://scene' })

/** A session over a chain with these games, and what it sends. */
export function marketScene(list: readonly SceneGame[], balance = 100) {
  const sent: string[] = []
  const state = new Map<string, unknown>()
  const time = { sec: HEAD }
  /** Own stakes, by game and choice. */
  const placed = new Map<string, bigint>()
  const gameAt = (gameId: bigint) => list[Number(gameId)] as SceneGame
  const choicesOf = ({ choices = ['a', 'b', 'c'] }: SceneGame) => choices
  const reads: Record<string, (gameId: bigint, choice: number) => unknown> = {
    gameCount: () => BigInt(list.length),
    phaseOf: id => gameAt(id).phase,
    gameOf: id => ({
      ...{
        judge: gameAt(id).isOwn ? ME : (gameAt(id).judge ?? JUDGE),
        phase: gameAt(id).phase,
        round: 1,
        cluesRevealed: 2,
        answered: true,
        answer: 1,
      },
      totalStake: (gameAt(id).stakes ?? []).reduce((sum, one) => sum + wei(one), 0n),
      config: {
        ...{ root: SEED, roundCount: 2, choiceCount: choicesOf(gameAt(id)).length, startsAtSec: HEAD },
        bettingSec: gameAt(id).bettingSec ?? 10,
        disputeSec: gameAt(id).disputeSec ?? 10,
        ...{ revealSec: 10, minBet: wei(gameAt(id).minBet ?? 0.01), freeShares: wei(0.1), feeBps: 0 },
        bond: wei(gameAt(id).bond ?? 5),
      },
    }),
    choiceOf: (id, choice) => [wei(gameAt(id).stakes?.[choice] ?? 0), wei(gameAt(id).stakes?.[choice] ?? 0)],
    priceOf: () => TOKEN,
    positionOf: (id, choice) => [placed.get(`${id} ${choice}`) ?? 0n, 0n],
    claimableOf: id => wei(gameAt(id).claimable ?? 0),
    quote: () => [wei(1), wei(1)],
    minDisputeSec: () => 10,
    creditOf: () => 0n,
    disputeOf: id => ({ drawn: gameAt(id).isDrawn === true, seedBlock: 1n, committee: [SEED], openedAtSec: HEAD }),
  }
  const rpc = {
    async readContract({ functionName, args = [] }: { functionName: string; args?: readonly bigint[] }) {
      const [gameId = 0n, choice = 0n] = args
      const fault = functionName !== 'gameCount' && list[Number(gameId)]?.fault
      if (fault) throw fault
      const read = reads[functionName]
      if (read === undefined) throw new Error(`the scene has no ${functionName}`)
      return read(gameId, Number(choice))
    },
    async simulateContract({ functionName, args: [gameId] }: { functionName: string; args: readonly [bigint] }) {
      const { payout, refusal } = gameAt(gameId)
      if (functionName !== 'claim' || payout === undefined) throw refusal ?? refusalIn('execution reverted')
      return { result: wei(payout) }
    },
    async getContractEvents({ eventName, args, fromBlock, toBlock }: EventQuery) {
      if (eventName === 'GameDisputed')
        return list.flatMap(({ disputedAt }, id) =>
          disputedAt !== undefined && disputedAt >= fromBlock && disputedAt <= toBlock
            ? [{ args: { gameId: BigInt(id) } }]
            : [],
        )
      if (args?.judge !== undefined)
        return list.flatMap(({ isOwn }, id) => (isOwn ? [{ args: { gameId: BigInt(id) } }] : []))
      const game = gameAt(args?.gameId ?? 0n)
      if (eventName === 'GameCreated')
        return [
          {
            eventName,
            args: {
              details: JSON.stringify({
                question: 'Which?',
                choices: choicesOf(game),
                environment: game.environment ?? rules.hash,
              }),
            },
          },
        ]
      return clues.slice(0, game.toldClues ?? clues.length).map((clue, round) => ({ eventName, args: { round, clue } }))
    },
    getBlock: async () => ({ number: BigInt(HEAD), timestamp: BigInt(time.sec) }),
  }
  const head = async () => ({ number: HEAD, timeSec: HEAD, atMs: 0 })
  const heads = { read: head, recent: head, around: () => ({}) }
  const market = { address: JUDGE, abi: predictionMarketAbi }
  const token = async () => ({ address: JUDGE, decimals: 18, symbol: 'NCT', balance: wei(balance), allowance: 0n })
  const session = {
    ...{ client: { rpc, rpcUrl: 'http://scene', heads }, account: ME, peerKey: SEED, data: '/nowhere' },
    contracts: { chainId: 1, startBlock: HEAD, predictionMarket: market },
    journal: {
      getState: (key: string) => state.get(key),
      setState: (key: string, value: unknown) => void state.set(key, value),
    },
    ...{ id: () => 'id', token, allow: token },
    async send({ data }: { data: `0x${string}` }) {
      const { functionName, args } = decodeFunctionData({ abi: predictionMarketAbi, data })
      sent.push(`${functionName} ${args?.[0]}`)
      if (functionName === 'bet') {
        const [gameId, , choice, stake] = args
        const position = `${gameId} ${choice}`
        placed.set(position, (placed.get(position) ?? 0n) + stake)
      }
      return { hash: SEED, block: HEAD }
    },
  }
  // Only what these duties read.
  return { session: session as unknown as MarketSession, sent, state, time, placed, rules, logger: silentLogger }
}

export type EventQuery = {
  eventName: string
  args?: { gameId: bigint; judge?: string }
  fromBlock: bigint
  toBlock: bigint
}
