import { mapYielding } from '#core/threads/mapYielding.ts'
import type { WordChooser } from '../../environment.ts'
import { EnvironmentMismatchError } from '../../environmentMismatch.ts'
import { calibratedOdds, examineJudge, judgedOdds, MIN_OWN_ANSWERS, weaknessOf } from './calibrateTrueFalse.ts'
import type { CodeJudge, JudgedPair } from './createJudge.ts'
import { type LabelledPair, labelledPairs } from './labelledPairs.ts'
import { judgeMessages, judgeWords, type TrueFalseRule } from './trueFalseJudge.ts'

/** Half calibrates the server, half tests it: one token per pair, and a standard error of 0.06. */
const PAIRS = 128

/**
 * A judge like `trueFalseJudge` with its model on a server. The server's weights cannot be checked, so it is calibrated and tested first,
 * as the environment's own judge was: on labelled pairs and on the solver's answers.
 *
 * @param sample - samples those answers.
 * @throws {EnvironmentMismatchError} if it does not tell right code from wrong, by all pairs or by the solver's answers alone, or if too few of those are
 * functions.
 */
export async function servedJudge(
  server: WordChooser,
  rule: Pick<TrueFalseRule, 'system' | 'question'>,
  sample: () => Promise<readonly LabelledPair[]>,
): Promise<CodeJudge> {
  const evidence = (pairs: readonly JudgedPair[]) => askServer(server, rule, pairs)
  const near = labelledPairs(PAIRS, 'served judge')
  // Before sampling, so that an unreachable server fails at once.
  const oddsOfNear = await evidence(near)
  const refused = oddsOfNear.filter(odds => odds === null).length
  if (refused > 0)
    throw new EnvironmentMismatchError(`The judge's server refuses ${refused} of ${PAIRS} questions.`, {
      hint: 'Give it a context of at least 4,096 tokens: it is asked of whole functions.',
    })
  const own = await sample()
  const pairs = [...near, ...own]
  const odds = [...oddsOfNear, ...(await evidence(own))]
  const examined = examineJudge(judgedOdds(near, own, odds))
  const { calibration, figures } = examined
  const weakness = weaknessOf(examined)
  if (weakness !== null)
    throw new EnvironmentMismatchError(
      `The judge's server does not tell right code from wrong: ${weakness}, on ${pairs.length} pairs, ${own.length} of them the solver's own.`,
      { hint: 'Serve the model that the environment names, with its chat template, or leave out --judge.' },
    )
  if (examined.own.answers < MIN_OWN_ANSWERS)
    throw new EnvironmentMismatchError(
      `Only ${examined.own.answers} answers that the model of the solvers gave are functions, too few to examine the judge's server: ${MIN_OWN_ANSWERS} are needed.`,
      { hint: 'Leave out the URL of --judge: a judge in the node was examined when the environment was made.' },
    )
  return {
    measured: { ...figures, pairs: pairs.length, samples: own.length },
    async predictCorrectness(pairsOf) {
      const found = await evidence(pairsOf)
      return found.map(x => (x === null ? 0 : calibratedOdds(x, calibration)))
    },
  }
}

/** Log-odds of 'true' against 'false' for each pair; null if the code is not valid Python, or the server refuses the pair. */
async function askServer(
  server: WordChooser,
  rule: Pick<TrueFalseRule, 'system' | 'question'>,
  pairs: readonly JudgedPair[],
): Promise<(number | null)[]> {
  const conversations = await mapYielding(pairs, pair => judgeMessages(rule, pair))
  const readable = conversations.filter(messages => messages !== null)
  const rows = readable.length > 0 ? await server.chooseWord(readable, judgeWords) : []
  const odds = new Map(rows.map((row, at) => [readable[at], row && (row[0] as number) - (row[1] as number)]))
  return conversations.map(messages => (messages && odds.get(messages)) ?? null)
}
