import type { AccountSession } from '#roles/accountSession.ts'
import type { OnBond } from './challenges/challengeBonds.ts'
import type { Values } from './command.ts'
import { showResult } from './showResult.ts'
import { withAccount } from './withSession.ts'

/** Runs one command about challenges from the account of a peer's folder, and prints its result. */
export async function runFromAccount(
  flags: Values,
  isJson: boolean,
  run: (session: AccountSession) => Promise<unknown>,
): Promise<void> {
  showResult((await withAccount(flags, run)) as object, isJson)
}

/** Prints a bond before it is sent. With --json only the result holds it. */
export function showBond(isJson: boolean): OnBond {
  if (isJson) return () => {}
  return ({ bond, terms }) => console.error(`Sending a bond of ${bond} of the chain's native coin. ${terms}`)
}
