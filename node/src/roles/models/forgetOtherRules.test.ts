import { expect, test } from 'vitest'
import { createManualClock } from '#core/clock.ts'
import { createLogger } from '#core/logger.ts'
import { presets } from '#environments/codezero/presets.ts'
import { createJournal } from '#store/journal.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { noteCanaryPoint, readCanaryPoints } from '../solver/provenance.ts'
import { createQuarantine } from '../solver/quarantine.ts'
import { createTrust } from '../solver/trust.ts'
import { forgetOtherRules, ofRules } from './forgetOtherRules.ts'
import { createRateScaling, createRoundCount, learningRateOf } from './learningRules.ts'

const clock = createManualClock()
const logger = createLogger({ write: () => {}, format: 'json', level: 'info', clock })
const [own, other] = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`] as const

test('counts of other rules are forgotten, so that a schedule begins with the first round of its own', () => {
  const journal = createJournal(openDatabase(':memory:'), clock)
  for (let round = 0; round < 200; round++) createRoundCount(journal).learned(round)
  // The state of an earlier release counts as that of these rules.
  forgetOtherRules(journal, logger, own)
  expect(createRoundCount(journal).count()).toBe(200)
  forgetOtherRules(journal, logger, own)
  expect(createRoundCount(journal).count()).toBe(200)
  journal.setState(ofRules.difficulty, { level: 5, solved: [], observations: 0, since: 0 })

  forgetOtherRules(journal, logger, other)
  const rounds = createRoundCount(journal)
  expect(rounds.including(200)).toBe(1)
  const falling = { ...presets.starter.training, schedule: 'cosine', totalRounds: 100 } as const
  expect(learningRateOf(falling, 'weights', rounds.including(200))).toBeGreaterThan(0)
  expect(journal.getState(ofRules.difficulty)).toBeNull()
  expect(createRateScaling(journal, 'squareRoot').factor(200, 0)).toBe(1)
})

test('held-out scores by the judge of other rules are not published as those of the new ones', () => {
  const journal = createJournal(openDatabase(':memory:'), clock)
  forgetOtherRules(journal, logger, own)
  const point = { round: 8, reward: 0.9, correctness: 0.8 }
  noteCanaryPoint(journal, point)
  forgetOtherRules(journal, logger, own)
  expect(readCanaryPoints(journal)).toEqual([point])
  forgetOtherRules(journal, logger, other)
  expect(readCanaryPoints(journal)).toEqual([])
  noteCanaryPoint(journal, { ...point, round: 9 })
  expect(readCanaryPoints(journal)).toEqual([{ ...point, round: 9 }])
})

test('a peer whose groups moved the policy too far by other rules is asked again, and trusted as before', () => {
  const journal = createJournal(openDatabase(':memory:'), clock)
  forgetOtherRules(journal, logger, own)
  const [peer, suspect] = ['0x01', '0x02'] as const
  createQuarantine({ journal, logger }).put(peer, 7, 'too far')
  createQuarantine({ journal, logger }).suspect(suspect, 7, 'the update failed')
  createTrust({ journal }).note(peer, 7, 1, 0.5)
  forgetOtherRules(journal, logger, own)
  expect(createQuarantine({ journal, logger }).holds(peer, 8)).toBe(true)
  forgetOtherRules(journal, logger, other)
  const quarantine = createQuarantine({ journal, logger })
  quarantine.suspect(suspect, 8, 'the update failed')
  expect([peer, suspect].map(key => quarantine.holds(key, 9))).toEqual([false, false])
  expect(createTrust({ journal }).of(peer)).toBe(0.625)
})
