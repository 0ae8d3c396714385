import type { EnvironmentHash } from '#core/hashes.ts'
import type { Logger } from '#core/logger.ts'
import type { Journal } from '#store/journal.ts'

/**
 * The journal's keys for what is counted, measured or refused by the rules of an environment. Trust in peers is not among them: their rewards as a
 * share of the own ones, which a few rounds renew.
 */
export const ofRules = {
  roundsLearned: 'rounds learned',
  countedUpdates: 'updates of the last two rounds',
  ownGradient: 'own gradient',
  proposerUpdates: 'proposer updates',
  difficulty: 'difficulty',
  canaryPoints: 'canary points',
  quarantine: 'quarantine',
  suspects: 'suspects',
} as const

const RULES = 'rules'

/**
 * Forgets what was counted by the rules of another environment: warm-up, schedules of rates and the difficulty begin again, a solver's held-out scores
 * go, and quarantines end. The policy stays. State of release 0.10 or earlier, which does not name its rules, counts as state of these.
 */
export function forgetOtherRules(journal: Journal, logger: Logger, environment: EnvironmentHash): void {
  const kept = journal.getState(RULES)
  if (kept === environment) return
  if (typeof kept === 'string') {
    for (const key of Object.values(ofRules)) journal.setState(key, null)
    logger.info('the rules changed since the last start: warm-up, rates, difficulty and quarantines begin again', {
      environment,
    })
  }
  journal.setState(RULES, environment)
}
