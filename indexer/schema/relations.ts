import { relations } from 'ponder'
import { appeal, appealCase, appealVerdict, leafDemand } from './challenges.ts'
import { feedItem } from './feed.ts'
import { game, gameBet, gameChoice, gameClue, gamePayout } from './market.ts'
import { opening, taskPay, withheldSecret } from './openings.ts'
import { evaluator, evaluatorSeat, peer, slashing, stake } from './peers.ts'
import { proposal, rolloutCommitment, settlement, task } from './rounds.ts'
import { voteCommit } from './votes.ts'

export const peerRelations = relations(peer, ({ one, many }) => ({
  evaluator: one(evaluator, { fields: [peer.peerKey], references: [evaluator.peerKey] }),
  settlements: many(settlement),
  stakes: many(stake),
  slashings: many(slashing),
  proposals: many(proposal),
  withheldSecrets: many(withheldSecret),
  rolloutCommitments: many(rolloutCommitment),
}))

export const stakeRelations = relations(stake, ({ one }) => ({
  peer: one(peer, { fields: [stake.peerKey], references: [peer.peerKey] }),
}))

export const slashingRelations = relations(slashing, ({ one }) => ({
  peer: one(peer, { fields: [slashing.peerKey], references: [peer.peerKey] }),
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

export const proposalRelations = relations(proposal, ({ one }) => ({
  peer: one(peer, { fields: [proposal.peerKey], references: [peer.peerKey] }),
}))

export const taskRelations = relations(task, ({ one }) => ({
  proposer: one(peer, { fields: [task.peerKey], references: [peer.peerKey] }),
}))

export const rolloutCommitmentRelations = relations(rolloutCommitment, ({ one }) => ({
  settlement: one(settlement, {
    fields: [rolloutCommitment.round, rolloutCommitment.peerKey],
    references: [settlement.round, settlement.peerKey],
  }),
  peer: one(peer, { fields: [rolloutCommitment.peerKey], references: [peer.peerKey] }),
}))

export const voteCommitRelations = relations(voteCommit, ({ one }) => ({
  peer: one(peer, { fields: [voteCommit.evaluatorKey], references: [peer.peerKey] }),
  evaluator: one(evaluator, { fields: [voteCommit.evaluatorKey], references: [evaluator.peerKey] }),
}))

export const settlementRelations = relations(settlement, ({ one }) => ({
  peer: one(peer, { fields: [settlement.peerKey], references: [peer.peerKey] }),
}))

export const leafDemandRelations = relations(leafDemand, ({ one }) => ({
  peer: one(peer, { fields: [leafDemand.peerKey], references: [peer.peerKey] }),
}))

export const appealCaseRelations = relations(appealCase, ({ one, many }) => ({
  peer: one(peer, { fields: [appealCase.peerKey], references: [peer.peerKey] }),
  appeals: many(appeal),
}))

export const appealRelations = relations(appeal, ({ one, many }) => ({
  case: one(appealCase, {
    fields: [appeal.round, appeal.peerKey],
    references: [appealCase.round, appealCase.peerKey],
  }),
  verdicts: many(appealVerdict),
}))

export const appealVerdictRelations = relations(appealVerdict, ({ one }) => ({
  appeal: one(appeal, {
    fields: [appealVerdict.round, appealVerdict.peerKey, appealVerdict.level],
    references: [appeal.round, appeal.peerKey, appeal.level],
  }),
  seat: one(peer, { fields: [appealVerdict.seatKey], references: [peer.peerKey] }),
}))

export const openingRelations = relations(opening, ({ one }) => ({
  evaluator: one(peer, { fields: [opening.evaluatorKey], references: [peer.peerKey] }),
}))

export const taskPayRelations = relations(taskPay, ({ one }) => ({
  proposer: one(peer, { fields: [taskPay.proposerKey], references: [peer.peerKey] }),
}))

export const withheldSecretRelations = relations(withheldSecret, ({ one }) => ({
  peer: one(peer, { fields: [withheldSecret.peerKey], references: [peer.peerKey] }),
}))

export const feedItemRelations = relations(feedItem, ({ one }) => ({
  peer: one(peer, { fields: [feedItem.peerKey], references: [peer.peerKey] }),
}))

export const gameRelations = relations(game, ({ many }) => ({
  choices: many(gameChoice),
  clues: many(gameClue),
  placed: many(gameBet),
  payouts: many(gamePayout),
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
