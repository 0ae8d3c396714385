import { randomBytes } from 'node:crypto'
import { bytesToHex, formatUnits, parseEventLogs, parseUnits } from 'viem'
import { callChain } from '#chain/callChain.ts'
import { marketIntent } from '#chain/games/marketIntent.ts'
import { readMarketToken } from '#chain/games/marketToken.ts'
import { type Game, quoteBet, readClaimable, readGame, readMarketCredit } from '#chain/games/readGame.ts'
import { verdictCommitment } from '#chain/games/verdictCommitment.ts'
import type { Hex } from '#core/hex.ts'
import { commitGame } from '#market/commitGame.ts'
import { readGameSecrets, saveGameSecrets } from '#store/gameSecrets.ts'
import { CallRefusedError } from '../accountSession.ts'
import type { ReadSession } from '../readSession.ts'
import type { MarketSession } from './marketSession.ts'

/** A Judge's description of a game. Amounts are in whole tokens, as people write them. */
export type GamePlan = {
  question: string
  choices: readonly string[]
  clues: readonly string[]
  /** One of the choices. */
  answer: string
  /** Hash of the environment that the question was drawn from, if a program settles it. */
  environment?: string
  startsInSec: number
  bettingSec: number
  revealSec: number
  disputeSec: number
  minBet: string
  freeShares: string
  bond: string
  /** The Judge's part of the losing stakes if its answer stands, in ten-thousandths: at most 500. */
  feeBps: number
}

export type Receipt = { hash: Hex; block: number }

/** Opens a game, its secrets on the disk first. */
export async function openGame(session: MarketSession, plan: GamePlan): Promise<Receipt & { gameId: string }> {
  const answer = plan.choices.indexOf(plan.answer)
  if (answer < 0)
    throw new CallRefusedError(`The answer '${plan.answer}' is not one of the choices.`, {
      hint: `It must be one of: ${plan.choices.join(', ')}.`,
    })
  const { decimals } = await session.token()
  const bond = parseUnits(plan.bond, decimals)
  await session.allow(bond)
  const secrets = { clues: [...plan.clues], answer, seed: bytesToHex(randomBytes(32)) }
  const { contracts, client, account } = session
  const market = contracts.predictionMarket
  const { root } = commitGame({ chainId: contracts.chainId, market: market.address, judge: account }, secrets)
  saveGameSecrets(session.data, root, secrets)
  const { timestamp } = await callChain(client.rpcUrl, () => client.rpc.getBlock())
  const config = {
    root,
    roundCount: plan.clues.length,
    choiceCount: plan.choices.length,
    startsAtSec: Number(timestamp) + plan.startsInSec,
    bettingSec: plan.bettingSec,
    revealSec: plan.revealSec,
    disputeSec: plan.disputeSec,
    minBet: parseUnits(plan.minBet, decimals),
    freeShares: parseUnits(plan.freeShares, decimals),
    bond,
    feeBps: plan.feeBps,
  }
  const { question, choices, environment } = plan
  const details = JSON.stringify({ question, choices, environment })
  const { hash, block } = await session.send(marketIntent(contracts, root, 'createGame', [config, details]))
  const { logs } = await callChain(client.rpcUrl, () => client.rpc.getTransactionReceipt({ hash }))
  const [created] = parseEventLogs({ abi: market.abi, eventName: 'GameCreated', logs })
  if (created === undefined) throw new Error(`transaction ${hash} opened no game`)
  return { gameId: String(created.args.gameId), hash, block }
}

export async function placeBet(session: MarketSession, gameId: bigint, choice: number, stake: string) {
  const { contracts, client } = session
  const { decimals } = await session.allow(parseUnits(stake, (await session.token()).decimals))
  const game = await readGame(client, contracts, gameId)
  requireBetting(game)
  const amount = parseUnits(stake, decimals)
  const { shares } = await quoteBet(client, contracts, { gameId, choice, stake: amount })
  const args = [gameId, game.round, choice, amount] as const
  const { hash, block } = await session.send(marketIntent(contracts, session.id(), 'bet', args))
  return {
    gameId: String(gameId),
    round: game.round,
    choice,
    stake,
    shares: formatUnits(shares, decimals),
    hash,
    block,
  }
}

/** Shares and payout of a bet that is placed now. */
export async function quote({ client, contracts }: ReadSession, gameId: bigint, choice: number, stake: string) {
  const { decimals } = await readMarketToken(client, contracts)
  const game = await readGame(client, contracts, gameId)
  requireBetting(game)
  const bet = { gameId, choice, stake: parseUnits(stake, decimals) }
  const { shares, payout } = await quoteBet(client, contracts, bet)
  const units = (amount: bigint) => formatUnits(amount, decimals)
  const price = formatUnits(game.choices[choice]?.price ?? 0n, 18)
  const quoted = { stake, price, shares: units(shares), payout: units(payout) }
  return { gameId: String(gameId), round: game.round, choice, ...quoted }
}

/** Proves the due secrets of the Judge: the next clue, the answer, or the last clue and the answer. */
export async function reveal(session: MarketSession, gameId: bigint) {
  const { contracts, client } = session
  const market = contracts.predictionMarket
  const { config, judge } = await callChain(client.rpcUrl, () =>
    client.rpc.readContract({ ...market, functionName: 'gameOf', args: [gameId] }),
  )
  const secrets = readGameSecrets(session.data, config.root)
  const { leaves } = commitGame({ chainId: contracts.chainId, market: market.address, judge }, secrets)
  const revealed: string[] = []
  for (;;) {
    const { phase, cluesRevealed } = await readGame(client, contracts, gameId)
    const leaf = leaves[cluesRevealed]
    if (phase === 'awaiting clue' && leaf !== undefined) {
      const clue = secrets.clues[cluesRevealed] ?? ''
      const args = [gameId, clue, leaf.salt, leaf.proof] as const
      await session.send(marketIntent(contracts, `${gameId}:${cluesRevealed}`, 'revealClue', args))
      revealed.push(`clue ${cluesRevealed}`)
    } else if (phase === 'awaiting answer' && leaf !== undefined) {
      const args = [gameId, secrets.answer, leaf.salt, leaf.proof] as const
      await session.send(marketIntent(contracts, String(gameId), 'proveAnswer', args))
      revealed.push('answer')
    } else if (revealed.length > 0) return { gameId: String(gameId), revealed }
    else throw notDue(gameId, phase, 'revealed')
  }
}

/** Claims the account's payout, after resolving the game if that is due. */
export async function claim(session: MarketSession, gameId: bigint) {
  const { contracts, client, account } = session
  const { phase } = await readGame(client, contracts, gameId)
  if (phase === 'resolution due') await act(session, 'resolve', gameId)
  const due = await readClaimable(client, contracts, gameId, account)
  if (due === 0n) throw notDue(gameId, phase, 'claimed')
  const { hash, block } = await session.send(marketIntent(contracts, session.id(), 'claim', [gameId]))
  const { decimals } = await session.token()
  return { gameId: String(gameId), payout: formatUnits(due, decimals), hash, block }
}

/** Sends a call that takes only a game's number. */
export async function act(session: MarketSession, action: 'resolve' | 'cancel' | 'drawCommittee', gameId: bigint) {
  const { hash, block } = await session.send(marketIntent(session.contracts, session.id(), action, [gameId]))
  return { gameId: String(gameId), hash, block }
}

export async function dispute(session: MarketSession, gameId: bigint) {
  const { bond } = await readGame(session.client, session.contracts, gameId)
  const { decimals } = await session.allow(bond)
  const { hash, block } = await session.send(marketIntent(session.contracts, session.id(), 'dispute', [gameId]))
  return { gameId: String(gameId), bond: formatUnits(bond, decimals), hash, block }
}

/**
 * Gives this peer's verdict on a dispute as a seat of the committee: commits to it during the commit phase, and reveals it during the reveal
 * phase. Pass the same choice both times; the number of choices means that none is right.
 */
export async function giveVerdict(session: MarketSession, gameId: bigint, choice: number) {
  const { contracts, client, peerKey } = session
  const market = contracts.predictionMarket
  const [{ openedAtSec, drawn, committee }, { disputeSec }, { timestamp }] = await callChain(client.rpcUrl, () =>
    Promise.all([
      client.rpc.readContract({ ...market, functionName: 'disputeOf', args: [gameId] }),
      readGame(client, contracts, gameId),
      client.rpc.getBlock(),
    ]),
  )
  if (!drawn) throw notDue(gameId, 'without a committee', 'judged')
  if (!committee.includes(peerKey)) throw notDue(gameId, 'before other seats', 'judged')
  const place = { chainId: contracts.chainId, market: market.address, gameId, seatKey: peerKey }
  const salt = session.verdictSalt(place)
  const commits = timestamp < BigInt(openedAtSec + disputeSec)
  const intent = commits
    ? marketIntent(contracts, session.id(), 'commitVerdict', [gameId, peerKey, verdictCommitment(place, choice, salt)])
    : marketIntent(contracts, session.id(), 'revealVerdict', [gameId, peerKey, choice, salt])
  const { hash, block } = await session.send(intent)
  return { gameId: String(gameId), step: commits ? 'committed' : 'revealed', choice, hash, block }
}

/** Withdraws what the account is owed: returned bonds and pay. */
export async function withdraw(session: MarketSession) {
  const { client, contracts, account } = session
  const [owed, { decimals, symbol }] = await Promise.all([
    readMarketCredit(client, contracts, account),
    session.token(),
  ])
  const taken = { account, amount: formatUnits(owed, decimals), token: symbol }
  if (owed === 0n) return taken
  const { hash, block } = await session.send(marketIntent(contracts, session.id(), 'withdraw', []))
  return { ...taken, hash, block }
}

function requireBetting({ gameId, phase }: Game): void {
  if (phase !== 'betting') throw notDue(gameId, phase, 'bet on')
}

function notDue(gameId: bigint, phase: string, what: string): CallRefusedError {
  return new CallRefusedError(`Game ${gameId} cannot be ${what} now: it is ${phase}.`, {
    hint: 'npx waggle market games shows where every game stands.',
  })
}
