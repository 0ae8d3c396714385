import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ContentId } from '#core/hashes.ts'
import type { BodyOwner, BodyQuota, KeptBody } from './bodyQuota.ts'

/** A content id in hexadecimal; behind that of another peer's body, its kind and the peer's key. */
const FILE_NAME = /^([0-9a-f]{64})(?:\.([a-z]+)\.([0-9a-f]{64}))?$/

/** Name of a body's file in the folder of its round. */
export function fileNameOf({ contentId, owner }: Pick<KeptBody, 'contentId' | 'owner'>): string {
  const id = contentId.slice(2)
  return owner === null ? id : `${id}.${owner.kind}.${owner.peerKey.slice(2)}`
}

/** What a folder of bodies holds. Half-written files, which a kill may leave, are removed. */
export async function readFolder(folder: string): Promise<KeptBody[]> {
  const found: KeptBody[] = []
  for (const round of (await readdir(folder)).filter(name => /^\d+$/.test(name)))
    for (const name of await readdir(join(folder, round))) {
      const path = join(folder, round, name)
      const [, id, kind, peerKey] = FILE_NAME.exec(name) ?? []
      if (id === undefined) await rm(path, { force: true })
      else {
        const owner: BodyOwner | null = kind && peerKey ? { kind, peerKey: `0x${peerKey}` as const } : null
        found.push({ contentId: `0x${id}` as const, round: Number(round), bytes: (await stat(path)).size, owner })
      }
    }
  return found
}

export type BodyIndex = {
  add(body: KeptBody): void
  remove(body: KeptBody): void
  /** Whether it was added and not removed. */
  holds(body: KeptBody): boolean
  newest(contentId: ContentId): KeptBody | undefined
  /** The newest that an owner has of these bytes: several peers may publish the same ones, and each pays for its own. */
  of(contentId: ContentId, owner: BodyOwner | null): KeptBody | undefined
  before(round: number): KeptBody[]
}

/** Bodies by content id, counted by `quota`. */
export function createBodyIndex(bodies: readonly KeptBody[], quota: BodyQuota): BodyIndex {
  const byId = new Map<ContentId, Set<KeptBody>>()
  const all = (id: ContentId) => [...(byId.get(id) ?? [])].sort((a, b) => b.round - a.round)
  const index: BodyIndex = {
    add(body) {
      byId.set(body.contentId, (byId.get(body.contentId) ?? new Set()).add(body))
      quota.add(body)
    },
    remove(body) {
      const same = byId.get(body.contentId)
      if (!same?.delete(body)) return
      if (same.size === 0) byId.delete(body.contentId)
      quota.remove(body)
    },
    holds: body => byId.get(body.contentId)?.has(body) === true,
    newest: id => all(id)[0],
    of: (id, owner) => all(id).find(body => body.owner?.peerKey === owner?.peerKey && body.owner?.kind === owner?.kind),
    before: round => [...byId.values()].flatMap(same => [...same].filter(body => body.round < round)),
  }
  for (const body of bodies) index.add(body)
  return index
}
