import { type MarketName, TOKEN } from './arena.ts'
import { ROUNDS, type Strategy } from './playGames.ts'

export interface Attack {
  readonly name: string
  /** The defence that stops it; `undefended` is the copy of the market without it. */
  readonly defence: string
  readonly undefended: MarketName
  /** Reason why it may earn more than honest play. */
  readonly leftOpen?: string
  readonly attack: Strategy
  /** The same stake and the same knowledge, bet evenly over the rounds, as RL Swarm's client does. */
  readonly honest: Strategy
}

const LAST = ROUNDS - 1

/** Two and a half times what the whole crowd stakes over four rounds. */
const WHALE = 80n * TOKEN
const SMALL = 8n * TOKEN

/** Clues that a bettor has seen by its bet in a round; in the last round the whale is nearly certain. */
const seen = (round: number) => (round === LAST ? ROUNDS : round)

const spread = (stake: bigint, clues: (round: number) => number): Strategy => ({
  when: 'open',
  act: async ({ round, guess, bet }) => void (await bet(guess(clues(round)), stake / BigInt(ROUNDS))),
})

/** Waits until it is nearly certain, and then bets far more than all others. */
const lateWhale: Attack = {
  name: 'late whale',
  defence: 'the cap on shares from the second round on',
  undefended: 'MarketWithoutCap',
  leftOpen: 'who knows late and bets then is what a market pays for; the cap keeps it to a tenth of the shares',
  attack: {
    when: 'open',
    act: async ({ round, guess, bet }) => {
      if (round === LAST) await bet(guess(seen(round)), WHALE)
    },
  },
  honest: spread(WHALE, seen),
}

/** Sees the clue in the queue of transactions, and bets on its round before it is mined. */
const frontRunner: Attack = {
  name: 'clue front-running',
  defence: 'betting that closes before the clue may be revealed',
  undefended: 'MarketOpenToTheLast',
  attack: {
    when: 'late',
    act: async ({ round, guess, bet }) => void (await bet(guess(round + 1), SMALL / BigInt(ROUNDS))),
  },
  honest: spread(SMALL, round => round),
}

export const attacks: readonly Attack[] = [lateWhale, frontRunner]
