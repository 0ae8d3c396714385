import { keccak256, stringToHex } from 'viem'
import type { Seed } from '#core/hashes.ts'
import type { AskedQuestion, Games } from '#environments/games.ts'
import { beliefOf, fitSlope, type ReadQuestion } from '#market/belief.ts'
import type { PolicyClient } from '#rl/policy/policyClient.ts'

/** Questions on which the policy is calibrated before its first bet: each takes as many scored sequences as it has choices. */
const MEASURED = 24

/** Characters of all clues that are scored: questions that are drawn have a few hundred, and a Judge may reveal 128 KB. */
const MAX_CLUES = 4_096
/** Beliefs that are kept: a game is polled several times between two clues. */
const KEPT = 16

export type Believer = (asked: AskedQuestion, clues: readonly string[]) => Promise<number[] | null>

/**
 * A policy's belief in the choices of a question: its log-probabilities, calibrated once on questions that it draws itself, at the first
 * question.
 */
export function createBeliever(games: Games, policy: Pick<PolicyClient, 'logprobs'>): Believer {
  const read = async (asked: AskedQuestion, clues: readonly string[]): Promise<number[] | null> => {
    const sequences = await games.sequences(asked, clues)
    if (sequences === null) return null
    const found = await policy.logprobs(sequences)
    return found.map(logprobs => Array.from(logprobs).reduce((sum, logprob) => sum + logprob, 0))
  }
  const measure = async () => {
    const measured: ReadQuestion[] = []
    for (let number = 0; number < MEASURED; number++) {
      const { answer, clues, ...asked } = games.draw(measuringSeed(number))
      // Bets are placed after zero to all but the last clue.
      const logprobs = await read(asked, clues.slice(0, 1 + (number % Math.max(1, clues.length - 1))))
      if (logprobs !== null) measured.push({ logprobs, answer })
    }
    return fitSlope(measured)
  }
  let slope: Promise<number> | null = null
  const kept = new Map<string, Promise<number[] | null>>()
  async function believe(asked: AskedQuestion, clues: readonly string[]): Promise<number[] | null> {
    const logprobs = await read(asked, clues)
    if (logprobs === null) return null
    slope ??= measure()
    // If the worker died, the next question tries again.
    const known = await slope.catch(error => {
      slope = null
      throw error
    })
    return beliefOf(logprobs, known)
  }

  return async (asked, clues) => {
    if (clues.reduce((sum, clue) => sum + clue.length, 0) > MAX_CLUES) return null
    const key = JSON.stringify([asked.question, asked.choices, clues])
    const belief = kept.get(key) ?? believe(asked, clues)
    kept.set(key, belief)
    const [oldest] = kept.keys()
    if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest)
    return belief.catch(error => {
      kept.delete(key)
      throw error
    })
  }
}

const measuringSeed = (number: number): Seed => keccak256(stringToHex(`measured question ${number}`))
