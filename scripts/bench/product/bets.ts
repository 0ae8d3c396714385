import { loadEnvironments } from '../../../node/src/environments/builtIn.ts'
import type { Games } from '../../../node/src/environments/games.ts'
import { beliefOf, fitSlope } from '../../../node/src/market/belief.ts'
import { openPolicy } from '../../../node/src/roles/models/openModels.ts'
import type { BenchRow } from '../../measure/row.ts'
import { edgeOf, playQuestion } from './bettors.ts'

const [MEASURED, GAMES] = [60, 200]
/** Factor by which the other bettor is too sure. */
const OVERCONFIDENCE = 10

export const betRows: readonly BenchRow[] = [
  {
    name: 'calibrated-bettor-edge',
    unit: 'Nectar',
    bar: 0,
    better: 'more',
    async measure(bench) {
      const { starter } = await loadEnvironments()
      const games = starter.games as Games
      const policy = await openPolicy(starter, null, {
        ...{ threads: 1, device: 'cpu' },
        crashed: error => bench.log(error.message),
        slow: () => {},
      })
      /** Log-probabilities of the choices by round: the first is before any clue. */
      const read = async (number: number) => {
        const question = games.draw(`0x${number.toString(16).padStart(64, '0')}` as const)
        const rounds: number[][] = []
        for (const round of question.clues.keys()) {
          const sequences = (await games.sequences(question, question.clues.slice(0, round))) ?? []
          const found = await policy.logprobs(sequences)
          rounds.push(found.map(logprobs => logprobs.reduce((sum, one) => sum + one, 0)))
        }
        return { ...question, rounds }
      }
      const readAll = async (first: number, count: number) => {
        const questions = []
        for (let number = first; number < first + count; number++) questions.push(await read(number))
        return questions
      }
      try {
        const measured = await readAll(0, MEASURED)
        const slope = fitSlope(
          measured.flatMap(({ rounds, answer }) => rounds.slice(1).map(logprobs => ({ logprobs, answer }))),
        )
        const profits = (await readAll(MEASURED, GAMES)).map(({ rounds, choices, answer }) => {
          const sure = (times: number) => rounds.map(logprobs => beliefOf(logprobs, times * slope))
          const beliefs = { calibrated: sure(1), overconfident: sure(OVERCONFIDENCE) }
          return playQuestion({ beliefs, choices: choices.length, rounds: rounds.length, answer })
        })
        const { both, mean, low } = edgeOf(profits, 'calibrated', 'overconfident')
        bench.log(
          `slope ${slope.toFixed(3)}, both bet in ${both} of ${GAMES} games, mean difference ${mean.toFixed(4)}`,
        )
        if (both < GAMES / 2) throw new Error(`both bet in ${both} games, fewer than half of ${GAMES}`)
        return {
          value: low,
          conditions: `lower end of the 95 % interval of the mean difference in profit a game, budgets of 1 Nectar; ${GAMES} questions on code, both bet in ${both}; beliefs of the starter solver, calibrated on ${MEASURED} other questions, against ${OVERCONFIDENCE} times as sure; mean ${mean.toFixed(4)}`,
        }
      } finally {
        await policy.close()
      }
    },
  },
]
