import type { PeerKey } from '#core/hashes.ts'
import type { ScoredGroup } from './chooseLessons.ts'
import type { createFaults } from './roundFaults.ts'
import type { createUpdates } from './roundUpdates.ts'

export type PeerLessons = { peerKey: PeerKey; groups: readonly ScoredGroup[] }

/** Maximum of updates on the own groups in a round, including replacements for missing peers: more bring less, and then harm (ADR 0214). */
export const MOST_OWN_UPDATES = 4

type Lessons = {
  updates: ReturnType<typeof createUpdates>
  faults: ReturnType<typeof createFaults>
  learned: { updates: number }
  /** The own groups. */
  chosen: readonly ScoredGroup[]
  ownUpdates: number
  updatesPerPeer: number
  mostNats: number | null
}

/**
 * Updates on the own groups, then on each peer's as they arrive. Where updates are lost with the worker, those on the own groups are repeated.
 *
 * @returns the number of updates that peers did not give.
 */
export async function learnPeerByPeer(
  { updates: { update, wereLost }, faults, learned, chosen, ownUpdates, updatesPerPeer, mostNats }: Lessons,
  sound: AsyncIterable<PeerLessons> | readonly PeerLessons[],
): Promise<number> {
  let [expected, given] = [0, 0]

  async function learnFromOwn(again: boolean): Promise<void> {
    if (chosen.length === 0 || faults.ownFailed()) return
    const learn = () => update(chosen, chosen.length, { times: ownUpdates, again })
    const failure = await learn()
    // Where the worker died, something else may have ended it. Groups that end it twice are at fault themselves.
    faults.ofOwn(failure !== null && wereLost() ? await learn() : failure)
  }

  async function repeatLost(): Promise<void> {
    if (!wereLost()) return
    given = 0
    await learnFromOwn(true)
  }

  // Nothing was learned before: there is nothing to repeat.
  wereLost()
  await learnFromOwn(false)
  for await (const { peerKey, groups } of sound) {
    await repeatLost()
    expected += updatesPerPeer
    const before = learned.updates
    const failure =
      groups.length === 0 ? null : await update(groups, 0, { peer: peerKey, mostNats, times: updatesPerPeer })
    if (failure !== null) faults.ofPeer(peerKey, groups.length, failure)
    // Groups whose answers all earn the same change nothing, and none is at fault.
    given += Math.max(0, learned.updates - before)
  }
  await repeatLost()
  return expected - given
}

/**
 * Replaces updates that peers did not give by updates on the own groups, as long as there is time and they change the policy. If the worker is lost
 * meanwhile, those on the own groups are repeated.
 */
export async function makeUp(
  { updates: { update, wereLost }, learned, chosen, ownUpdates }: Lessons,
  lost: number,
  until: AbortSignal,
): Promise<void> {
  for (let left = Math.min(lost, MOST_OWN_UPDATES - ownUpdates); left > 0 && chosen.length > 0; left--) {
    const before = learned.updates
    if (!until.aborted) await update(chosen, chosen.length, { again: true })
    if (wereLost()) await update(chosen, chosen.length, { times: ownUpdates, again: true })
    if (learned.updates <= before) return
  }
}
