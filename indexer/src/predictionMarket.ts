import type { Context } from 'ponder:registry'
import { game, gameBet, gameChoice, gameClue, gameHolding, gamePayout } from 'ponder:schema'
import { eq } from 'ponder'
import { divideGame } from './divideGame.ts'
import { addToFeed } from './feed.ts'
import { on } from './on.ts'
import { shownText } from './shownText.ts'

/** Numbers of games are larger than JSON's. */
const inGame = (gameId: bigint) => ({ gameId: String(gameId) })

on('PredictionMarket:GameCreated', async ({ event, context }) => {
  const { gameId, judge, config, details } = event.args
  await context.db.insert(game).values({
    gameId,
    judge,
    details: shownText(details),
    ...config,
    createdAtSec: Number(event.block.timestamp),
    transactionHash: event.transaction.hash,
  })
  const choices = Array.from({ length: config.choiceCount }, (_, choice) => ({ gameId, choice }))
  await context.db.insert(gameChoice).values(choices)
  await addToFeed(context, event, { kind: 'gameOpened', detail: { ...inGame(gameId), judge } })
})

on('PredictionMarket:BetPlaced', async ({ event, context }) => {
  const { gameId, round, choice, stake, account, holder } = event.args
  const { id, block, transaction } = event
  await context.db.update(game, { gameId }).set(row => ({ bets: row.bets + 1, totalStake: row.totalStake + stake }))
  await context.db.update(gameChoice, { gameId, choice }).set(row => ({ stake: row.stake + stake }))
  await context.db
    .insert(gameBet)
    .values({ id, ...event.args, atSec: Number(block.timestamp), transactionHash: transaction.hash })
  await context.db
    .insert(gameHolding)
    .values({ gameId, holder, account, staked: stake })
    .onConflictDoUpdate(row => ({ account, staked: row.staked + stake }))
  const detail = { ...inGame(gameId), bettingRound: round, account, choice, stakeWei: String(stake) }
  await addToFeed(context, event, { kind: 'betPlaced', detail })
})

on('PredictionMarket:ClueRevealed', async ({ event, context }) => {
  const { gameId, round, clue } = event.args
  await context.db.update(game, { gameId }).set(({ roundCount }) => ({ roundsOpened: Math.min(round + 2, roundCount) }))
  await context.db
    .insert(gameClue)
    .values({ gameId, round, clue: shownText(clue), atSec: Number(event.block.timestamp) })
  await addToFeed(context, event, { kind: 'clueProven', detail: { ...inGame(gameId), number: round + 1 } })
})

on('PredictionMarket:AnswerProven', async ({ event, context }) => {
  const { gameId, choice } = event.args
  const answeredAtSec = Number(event.block.timestamp)
  await context.db.update(game, { gameId }).set({ status: 'answered', answer: choice, answeredAtSec })
  await addToFeed(context, event, { kind: 'gameAnswered', detail: { ...inGame(gameId), choice } })
})

on('PredictionMarket:GameDisputed', async ({ event, context }) => {
  const { gameId, disputer } = event.args
  const disputedAtSec = Number(event.block.timestamp)
  await context.db.update(game, { gameId }).set({ status: 'disputed', disputer, disputedAtSec })
  await addToFeed(context, event, { kind: 'gameDisputed', detail: { ...inGame(gameId), disputer } })
})

on('PredictionMarket:GameResolved', async ({ event, context }) => {
  const { gameId, choice, pot } = event.args
  const endedAtSec = Number(event.block.timestamp)
  await context.db.update(game, { gameId }).set({ status: 'resolved', winner: choice, pot, endedAtSec })
  await divide(context, gameId, { winner: choice, pot })
  await addToFeed(context, event, { kind: 'gameResolved', detail: { ...inGame(gameId), choice } })
})

on('PredictionMarket:JudgePaid', async ({ event, context }) => {
  const { gameId, amount } = event.args
  await context.db.update(game, { gameId }).set({ fee: amount })
})

on('PredictionMarket:GameVoided', async ({ event, context }) => {
  const { gameId, pot } = event.args
  await context.db.update(game, { gameId }).set({ status: 'void', pot, endedAtSec: Number(event.block.timestamp) })
  await divide(context, gameId, { winner: null, pot })
  await addToFeed(context, event, { kind: 'gameVoided', detail: inGame(gameId) })
})

on('PredictionMarket:Claimed', async ({ event, context }) => {
  const { gameId, payout, account, holder } = event.args
  const { id, block, transaction } = event
  await context.db.update(game, { gameId }).set(row => ({ paidOut: row.paidOut + payout }))
  await context.db.update(gameHolding, { gameId, holder }).set({ claimed: payout, claimable: 0n })
  await context.db
    .insert(gamePayout)
    .values({ id, ...event.args, atSec: Number(block.timestamp), transactionHash: transaction.hash })
  const detail = { ...inGame(gameId), account, payoutWei: String(payout) }
  await addToFeed(context, event, { kind: 'winningsTaken', detail })
})

on('PredictionMarket:DustBurnt', async ({ event, context }) => {
  const { gameId, amount } = event.args
  await context.db.update(game, { gameId }).set(row => ({ dustBurnt: row.dustBurnt + amount }))
})

/** Writes what each holder of a game that has just ended can claim. */
async function divide(context: Context, gameId: bigint, outcome: { winner: number | null; pot: bigint }) {
  const { freeShares } = (await context.db.find(game, { gameId })) ?? { freeShares: 0n }
  const bets = await context.db.sql.select().from(gameBet).where(eq(gameBet.gameId, gameId)).orderBy(gameBet.id)
  for (const [holder, claimable] of divideGame(bets, { ...outcome, freeShares }))
    await context.db.update(gameHolding, { gameId, holder }).set({ claimable })
}
