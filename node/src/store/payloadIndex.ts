import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ContentId } from '#core/hashes.ts'
import type { KeptPayload, PayloadOwner, PayloadQuota } from './payloadQuota.ts'

/** A content id in hexadecimal, followed by kind and peer key for another peer's payload. */
const FILE_NAME = /^([0-9a-f]{64})(?:\.([a-z]+)\.([0-9a-f]{64}))?$/

/** Name of a payload's file in the folder of its round. */
export function fileNameOf({ contentId, owner }: Pick<KeptPayload, 'contentId' | 'owner'>): string {
  const id = contentId.slice(2)
  return owner === null ? id : `${id}.${owner.kind}.${owner.peerKey.slice(2)}`
}

/** Lists a folder of payloads. Half-written files, which a kill may leave, are removed. */
export async function readFolder(folder: string): Promise<KeptPayload[]> {
  const found: KeptPayload[] = []
  for (const round of (await readdir(folder)).filter(name => /^\d+$/.test(name)))
    for (const name of await readdir(join(folder, round))) {
      const path = join(folder, round, name)
      const [, id, kind, peerKey] = FILE_NAME.exec(name) ?? []
      if (id === undefined) await rm(path, { force: true })
      else {
        const owner: PayloadOwner | null = kind && peerKey ? { kind, peerKey: `0x${peerKey}` as const } : null
        found.push({ contentId: `0x${id}` as const, round: Number(round), bytes: (await stat(path)).size, owner })
      }
    }
  return found
}

export type PayloadIndex = {
  add(payload: KeptPayload): void
  remove(payload: KeptPayload): void
  /** Whether the payload was added and not removed. */
  holds(payload: KeptPayload): boolean
  /** Newest first. */
  all(contentId: ContentId): KeptPayload[]
  newest(contentId: ContentId): KeptPayload | undefined
  /** An owner's newest entry for these bytes: several peers may publish the same bytes, and each is charged for them. */
  of(contentId: ContentId, owner: PayloadOwner | null): KeptPayload | undefined
  before(round: number): KeptPayload[]
}

/** Payloads by content id, counted by `quota`. */
export function createPayloadIndex(payloads: readonly KeptPayload[], quota: PayloadQuota): PayloadIndex {
  const byId = new Map<ContentId, Set<KeptPayload>>()
  const all = (id: ContentId) => [...(byId.get(id) ?? [])].sort((a, b) => b.round - a.round)
  const index: PayloadIndex = {
    add(payload) {
      byId.set(payload.contentId, (byId.get(payload.contentId) ?? new Set()).add(payload))
      quota.add(payload)
    },
    remove(payload) {
      const same = byId.get(payload.contentId)
      if (!same?.delete(payload)) return
      if (same.size === 0) byId.delete(payload.contentId)
      quota.remove(payload)
    },
    holds: payload => byId.get(payload.contentId)?.has(payload) === true,
    all,
    newest: id => all(id)[0],
    of: (id, owner) =>
      all(id).find(payload => payload.owner?.peerKey === owner?.peerKey && payload.owner?.kind === owner?.kind),
    before: round => [...byId.values()].flatMap(same => [...same].filter(payload => payload.round < round)),
  }
  for (const payload of payloads) index.add(payload)
  return index
}
