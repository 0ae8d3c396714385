import type { Game } from '#sources/getGames.ts'

export interface ChoiceRow {
  choice: number
  stake: bigint
  /** Share of all stakes, 0 to 1. */
  share: number
}

/** A game's choices with their part of the stakes. */
export function choiceRows({ choices, totalStake }: Pick<Game, 'choices' | 'totalStake'>): ChoiceRow[] {
  return choices.items.map(({ choice, stake }) => ({
    choice,
    stake,
    share: totalStake === 0n ? 0 : Number((stake * 10_000n) / totalStake) / 10_000,
  }))
}
