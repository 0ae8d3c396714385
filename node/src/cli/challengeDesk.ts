import { peerIdFromString } from '@libp2p/peer-id'
import type { Hex } from '#core/hex.ts'
import { peerKeyOf } from '#core/peerKey.ts'
import type { AccountDesk } from '#roles/accountDesk.ts'
import { atDesk } from './atDesk.ts'
import type { Values } from './command.ts'
import { UsageError } from './usageError.ts'

/** Runs one dealing with challenges from the account of a peer's folder, and prints what came of it. */
export async function printDealing(values: Values, run: (desk: AccountDesk) => Promise<unknown>): Promise<void> {
  console.log(JSON.stringify(await atDesk(values, run), null, values.json === true ? 0 : 2))
}

/** The key of a peer that is named by its id. */
export function readPeerKey(peerId: string): Hex {
  try {
    return peerKeyOf(peerIdFromString(peerId).toString())
  } catch (cause) {
    throw new UsageError(`${peerId} is no peer id.`, { hint: 'The dashboard and waggle status show them.', cause })
  }
}

export function readNumber(name: string, value: Values[string]): number {
  if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value)
  throw new UsageError(`${name} must be a whole number.`, { hint: 'See --help.' })
}
