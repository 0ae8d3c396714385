import type { Game } from '#sources/getGames.ts'

export interface ChoiceRow {
  choice: number
  stake: bigint
  /** Of all stakes, 0 to 1. */
  share: number
  /** In the newest round that has prices. */
  price: bigint | null
}

/** A game's choices with their part of the stakes and their newest price. */
export function choiceRows({
  choices,
  prices,
  totalStake,
}: Pick<Game, 'choices' | 'prices' | 'totalStake'>): ChoiceRow[] {
  const newest = Math.max(...prices.items.map(({ round }) => round))
  return choices.items.map(({ choice, stake }) => ({
    choice,
    stake,
    share: totalStake === 0n ? 0 : Number((stake * 10_000n) / totalStake) / 10_000,
    price: prices.items.find(row => row.round === newest && row.choice === choice)?.price ?? null,
  }))
}
