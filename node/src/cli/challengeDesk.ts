import type { AccountDesk } from '#roles/accountDesk.ts'
import type { OnBond } from '#roles/challengeBonds.ts'
import { atDesk } from './atDesk.ts'
import type { Values } from './command.ts'
import { showResult } from './showResult.ts'

/** Runs one dealing with challenges from the account of a peer's folder, and prints what came of it. */
export async function printDealing(values: Values, run: (desk: AccountDesk) => Promise<unknown>): Promise<void> {
  showResult((await atDesk(values, run)) as object, values.json === true)
}

/** Says what a bond is before it is sent; with --json the answer alone says it. */
export function showBond({ json }: Values): OnBond {
  if (json === true) return () => {}
  return ({ bond, terms }) => console.error(`Sending a bond of ${bond} of the chain's native coin. ${terms}`)
}
