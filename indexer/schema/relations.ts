import { relations } from 'ponder'
import { appeal, appealCase, appealVerdict, leafDemand } from './challenges.ts'
import { feedItem } from './feed.ts'
import { game, gameBet, gameChoice, gameClue, gameHolding, gamePayout } from './market.ts'
import { agreedLeaf, opening, taskPay, withheldSecret } from './openings.ts'
import { compensation, evaluator, evaluatorSeat, peer, slashing, stake } from './peers.ts'
import { proposal, rolloutCommitment, round, roundPlace, settlement, task } from './rounds.ts'
import { voteCommit } from './votes.ts'

export const peerRelations = relations(peer, ({ one, many }) => ({
  evaluator: one(evaluator, { fields: [peer.peerKey], references: [evaluator.peerKey] }),
  settlements: many(settlement),
  stakes: many(stake),
  slashings: many(slashing),
  proposals: many(proposal),
  withheldSecrets: many(withheldSecret),
  rolloutCommitments: many(rolloutCommitment),
  seats: many(evaluatorSeat),
  voteCommits: many(voteCommit),
  openings: many(opening, { relationName: 'openedBy' }),
  taskPays: many(taskPay),
  leafDemands: many(leafDemand),
  appealCases: many(appealCase),
  appealVerdicts: many(appealVerdict, { relationName: 'judgedBy' }),
  feedItems: many(feedItem),
}))

/** Its columns of the same names are counts. */
export const roundRelations = relations(round, ({ many }) => ({
  proposed: many(proposal),
  committed: many(rolloutCommitment),
  voteCommits: many(voteCommit),
  settlements: many(settlement),
  leafDemands: many(leafDemand),
  appealCases: many(appealCase),
  openings: many(opening),
  agreedLeafs: many(agreedLeaf),
  taskPays: many(taskPay),
  withheldSecrets: many(withheldSecret),
  feedItems: many(feedItem),
}))

export const stakeRelations = relations(stake, ({ one }) => ({
  peer: one(peer, { fields: [stake.peerKey], references: [peer.peerKey] }),
}))

export const slashingRelations = relations(slashing, ({ one }) => ({
  peer: one(peer, { fields: [slashing.peerKey], references: [peer.peerKey] }),
}))

export const compensationRelations = relations(compensation, ({ one }) => ({
  peer: one(peer, { fields: [compensation.peerKey], references: [peer.peerKey] }),
}))

export const evaluatorRelations = relations(evaluator, ({ one, many }) => ({
  peer: one(peer, { fields: [evaluator.peerKey], references: [peer.peerKey] }),
  seats: many(evaluatorSeat),
  voteCommits: many(voteCommit),
}))

export const evaluatorSeatRelations = relations(evaluatorSeat, ({ one }) => ({
  peer: one(peer, { fields: [evaluatorSeat.peerKey], references: [peer.peerKey] }),
  evaluator: one(evaluator, { fields: [evaluatorSeat.peerKey], references: [evaluator.peerKey] }),
}))

export const proposalRelations = relations(proposal, ({ one, many }) => ({
  peer: one(peer, { fields: [proposal.peerKey], references: [peer.peerKey] }),
  inRound: one(round, { fields: [proposal.round], references: [round.number] }),
  texts: many(task),
}))

export const taskRelations = relations(task, ({ one }) => ({
  proposal: one(proposal, { fields: [task.round, task.peerKey], references: [proposal.round, proposal.peerKey] }),
  inRound: one(round, { fields: [task.round], references: [round.number] }),
  proposer: one(peer, { fields: [task.peerKey], references: [peer.peerKey] }),
}))

export const rolloutCommitmentRelations = relations(rolloutCommitment, ({ one }) => ({
  settlement: one(settlement, {
    fields: [rolloutCommitment.round, rolloutCommitment.peerKey],
    references: [settlement.round, settlement.peerKey],
  }),
  peer: one(peer, { fields: [rolloutCommitment.peerKey], references: [peer.peerKey] }),
  inRound: one(round, { fields: [rolloutCommitment.round], references: [round.number] }),
}))

export const roundPlaceRelations = relations(roundPlace, ({ one }) => ({
  peer: one(peer, { fields: [roundPlace.peerKey], references: [peer.peerKey] }),
  inRound: one(round, { fields: [roundPlace.round], references: [round.number] }),
}))

export const voteCommitRelations = relations(voteCommit, ({ one }) => ({
  peer: one(peer, { fields: [voteCommit.evaluatorKey], references: [peer.peerKey] }),
  evaluator: one(evaluator, { fields: [voteCommit.evaluatorKey], references: [evaluator.peerKey] }),
  inRound: one(round, { fields: [voteCommit.round], references: [round.number] }),
}))

export const settlementRelations = relations(settlement, ({ one }) => ({
  peer: one(peer, { fields: [settlement.peerKey], references: [peer.peerKey] }),
  rolloutCommitment: one(rolloutCommitment, {
    fields: [settlement.round, settlement.peerKey],
    references: [rolloutCommitment.round, rolloutCommitment.peerKey],
  }),
  appealCase: one(appealCase, {
    fields: [settlement.round, settlement.peerKey],
    references: [appealCase.round, appealCase.peerKey],
  }),
  inRound: one(round, { fields: [settlement.round], references: [round.number] }),
}))

export const leafDemandRelations = relations(leafDemand, ({ one }) => ({
  peer: one(peer, { fields: [leafDemand.peerKey], references: [peer.peerKey] }),
  rolloutCommitment: one(rolloutCommitment, {
    fields: [leafDemand.round, leafDemand.peerKey],
    references: [rolloutCommitment.round, rolloutCommitment.peerKey],
  }),
  inRound: one(round, { fields: [leafDemand.round], references: [round.number] }),
}))

export const appealCaseRelations = relations(appealCase, ({ one, many }) => ({
  peer: one(peer, { fields: [appealCase.peerKey], references: [peer.peerKey] }),
  settlement: one(settlement, {
    fields: [appealCase.round, appealCase.peerKey],
    references: [settlement.round, settlement.peerKey],
  }),
  appeals: many(appeal),
  inRound: one(round, { fields: [appealCase.round], references: [round.number] }),
}))

export const appealRelations = relations(appeal, ({ one, many }) => ({
  case: one(appealCase, {
    fields: [appeal.round, appeal.peerKey],
    references: [appealCase.round, appealCase.peerKey],
  }),
  peer: one(peer, { fields: [appeal.peerKey], references: [peer.peerKey] }),
  inRound: one(round, { fields: [appeal.round], references: [round.number] }),
  verdicts: many(appealVerdict),
}))

export const appealVerdictRelations = relations(appealVerdict, ({ one }) => ({
  appeal: one(appeal, {
    fields: [appealVerdict.round, appealVerdict.peerKey, appealVerdict.level],
    references: [appeal.round, appeal.peerKey, appeal.level],
  }),
  seat: one(peer, { fields: [appealVerdict.seatKey], references: [peer.peerKey], relationName: 'judgedBy' }),
  peer: one(peer, { fields: [appealVerdict.peerKey], references: [peer.peerKey], relationName: 'judged' }),
  inRound: one(round, { fields: [appealVerdict.round], references: [round.number] }),
}))

export const openingRelations = relations(opening, ({ one }) => ({
  evaluator: one(peer, {
    fields: [opening.evaluatorKey],
    references: [peer.peerKey],
    relationName: 'openedBy',
  }),
  peer: one(peer, { fields: [opening.peerKey], references: [peer.peerKey], relationName: 'openedOn' }),
  inRound: one(round, { fields: [opening.round], references: [round.number] }),
}))

export const agreedLeafRelations = relations(agreedLeaf, ({ one }) => ({
  inRound: one(round, { fields: [agreedLeaf.round], references: [round.number] }),
}))

export const taskPayRelations = relations(taskPay, ({ one }) => ({
  proposer: one(peer, { fields: [taskPay.proposerKey], references: [peer.peerKey] }),
  inRound: one(round, { fields: [taskPay.round], references: [round.number] }),
}))

export const withheldSecretRelations = relations(withheldSecret, ({ one }) => ({
  peer: one(peer, { fields: [withheldSecret.peerKey], references: [peer.peerKey] }),
  inRound: one(round, { fields: [withheldSecret.round], references: [round.number] }),
}))

export const feedItemRelations = relations(feedItem, ({ one }) => ({
  peer: one(peer, { fields: [feedItem.peerKey], references: [peer.peerKey] }),
  inRound: one(round, { fields: [feedItem.round], references: [round.number] }),
}))

export const gameRelations = relations(game, ({ many }) => ({
  choices: many(gameChoice),
  clues: many(gameClue),
  placed: many(gameBet),
  payouts: many(gamePayout),
  holdings: many(gameHolding),
}))

export const gameChoiceRelations = relations(gameChoice, ({ one }) => ({
  game: one(game, { fields: [gameChoice.gameId], references: [game.gameId] }),
}))

export const gameClueRelations = relations(gameClue, ({ one }) => ({
  game: one(game, { fields: [gameClue.gameId], references: [game.gameId] }),
}))

export const gameBetRelations = relations(gameBet, ({ one }) => ({
  game: one(game, { fields: [gameBet.gameId], references: [game.gameId] }),
}))

export const gamePayoutRelations = relations(gamePayout, ({ one }) => ({
  game: one(game, { fields: [gamePayout.gameId], references: [game.gameId] }),
}))

export const gameHoldingRelations = relations(gameHolding, ({ one }) => ({
  game: one(game, { fields: [gameHolding.gameId], references: [game.gameId] }),
}))
