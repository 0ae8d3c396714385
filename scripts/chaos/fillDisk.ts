import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../swarm/chainFacts.ts'
import type { ChaosSwarm } from './chaosSwarm.ts'
import type { Extent } from './extent.ts'
import { type Killed, nonceOf } from './harm.ts'

/** Rounds before its disk is full, and in which it stays so. */
const [BEFORE, FULL] = [1, 1.5]
const ASK_EVERY_MS = 500

/**
 * Leaves one peer no space for a while.
 *
 * @returns the peer, and the nonce of its account when it had space again; null if no disk can be made for it.
 */
export async function fillDisk(
  { smallDisk, peers, rpcUrl }: ChaosSwarm,
  { roundSeconds }: Extent,
  { signal, say }: { signal: AbortSignal; say: (line: string) => void },
): Promise<Killed | null> {
  if (smallDisk === null) {
    say('disk full: not run, because users of this machine cannot mount one (unshare --user --mount)')
    return null
  }
  const { slot, disk } = smallDisk
  await sleep(BEFORE * roundSeconds * 1_000, undefined, { signal })
  await disk.fill()
  say(`the disk of ${slot} is full`)
  await sleep(FULL * roundSeconds * 1_000, undefined, { signal }).finally(disk.empty)
  say(`the disk of ${slot} has space again`)
  const address = peers.find(peer => peer.slot === slot)?.address
  if (address === undefined) throw new Error(`there is no ${slot}`)
  for (;;) {
    const nonce = await nonceOf(connect(rpcUrl), address)
    if (nonce !== null) return { name: `peer-${slot}`, nonce }
    await sleep(ASK_EVERY_MS, undefined, { signal })
  }
}
