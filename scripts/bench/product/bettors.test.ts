import { expect, test } from 'vitest'
import { FEE_BPS } from '../../../contracts/test/market/marketModel.ts'
import { seededRandom } from '../../../node/src/environments/seededRandom.ts'
import { beliefOf, fitSlope } from '../../../node/src/market/belief.ts'
import { edgeOf, type PlayedQuestion, playQuestion } from './bettors.ts'

const [CHOICES, ROUNDS, GAMES] = [4, 4, 200]
/** Signal and noise of a clue: the noise of its log-probabilities is larger than their signal. */
const [SIGNAL, NOISE] = [1, 1.5]

type Drawn = { answer: number; logprobs: number[][] }

/** Questions whose clues raise the log-probability of the right choice, among noise. */
function drawQuestions(seed: string): Drawn[] {
  const random = seededRandom(seed)
  const normal = () => Math.sqrt(-2 * Math.log(random.next())) * Math.cos(2 * Math.PI * random.next())
  return Array.from({ length: GAMES }, () => {
    const answer = random.between(0, CHOICES - 1)
    const logprobs: number[][] = [Array(CHOICES).fill(0)]
    for (let round = 1; round < ROUNDS; round++)
      logprobs.push(
        (logprobs[round - 1] ?? []).map((sum, choice) => sum + (choice === answer ? SIGNAL : 0) + NOISE * normal()),
      )
    return { answer, logprobs }
  })
}

test('over 200 games a calibrated bettor beats one that is three times as sure', () => {
  const measured = drawQuestions('measured').flatMap(({ answer, logprobs }) =>
    logprobs.slice(1).map(one => ({ logprobs: one, answer })),
  )
  const slope = fitSlope(measured)
  // Of independent normal noise the right slope is known: signal over variance.
  expect(slope).toBeCloseTo(SIGNAL / NOISE ** 2, 1)
  const profits = drawQuestions('played').map(({ answer, logprobs }) => {
    const sure = (times: number) => logprobs.map(one => beliefOf(one, times * slope))
    const beliefs: PlayedQuestion['beliefs'] = { calibrated: sure(1), overconfident: sure(3) }
    return playQuestion({ beliefs, choices: CHOICES, rounds: ROUNDS, answer })
  })
  const edge = edgeOf(profits, 'calibrated', 'overconfident')
  expect(edge).toMatchObject({ games: GAMES })
  expect(edge.both).toBeGreaterThanOrEqual(GAMES / 2)
  expect(edge.low).toBeGreaterThan(0)
  // The market makes nothing: what one wins the other loses, but for the Judge's fee.
  const each = profits.flatMap(Object.values).map(Number)
  const sum = (values: number[]) => values.reduce((total, one) => total + one, 0)
  expect(sum(each)).toBeLessThan(0)
  // Of losing stakes, which are more than the losses of who bet on two choices.
  expect(-sum(each)).toBeLessThan(((2 * FEE_BPS) / 10_000) * sum(each.map(Math.abs)))
})
