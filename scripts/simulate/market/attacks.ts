import { type MarketName, TOKEN } from './arena.ts'
import { CHOICES, ROUNDS, type Strategy } from './playGames.ts'

export interface Attack {
  readonly name: string
  /** What stops it, and the copy of the market without that. */
  readonly defence: string
  readonly undefended: MarketName
  /** Why it may earn more than honest play. */
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

/** Waits until it is nearly certain, and then bets all that the market takes. */
const lateWhale: Attack = {
  name: 'late whale',
  defence: 'the cap on stakes from the second round on',
  undefended: 'MarketWithoutCap',
  leftOpen:
    'who knows late and bets then is what a market pays for; the cap keeps the gain from growing with the stake',
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

/** Before the last round it stakes on what it does not believe, so that what it does believe is cheap in the last. */
const washBettor: Attack = {
  name: 'wash bets',
  defence: 'the cap on stakes from the second round on',
  undefended: 'MarketWithoutCap',
  attack: {
    when: 'open',
    act: async ({ round, guess, stakes, bet }) => {
      if (round === LAST) return void (await bet(guess(seen(round)), WHALE))
      if (round !== LAST - 1) return
      const believed = guess(round)
      const staked = await stakes()
      const others = Array.from({ length: CHOICES }, (_, choice) => choice).filter(choice => choice !== believed)
      others.sort((a, b) => Number((staked[b] ?? 0n) - (staked[a] ?? 0n)))
      let left = WHALE / 2n
      for (const choice of others) left -= await bet(choice, left)
    },
  },
  honest: spread((WHALE * 3n) / 2n, seen),
}

export const attacks: readonly Attack[] = [lateWhale, frontRunner, washBettor]
