import { linear, sequence, system } from './algebra.ts'
import { base, chain, gcd, lcm, modular, product, sum } from './arithmetic.ts'
import { dates } from './dates.ts'
import type { Family } from './family.ts'
import { letters, sorting } from './lists.ts'
import { boolean, knights } from './logic.ts'

/** Every family of questions, by the name that specifications use. */
export const families = {
  sum,
  product,
  chain,
  gcd,
  lcm,
  modular,
  base,
  linear,
  system,
  sequence,
  boolean,
  knights,
  letters,
  sorting,
  dates,
} as const satisfies Record<string, Family>

export type FamilyName = keyof typeof families
export const familyNames = Object.keys(families) as [FamilyName, ...FamilyName[]]
