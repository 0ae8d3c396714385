import { createHash } from 'node:crypto'

export const announcementKinds = ['rollouts', 'scores', 'canary'] as const
export type AnnouncementKind = (typeof announcementKinds)[number]
type TopicKind = AnnouncementKind | 'addresses'

/** Identity of a swarm: its announcements are void in every other swarm. */
export type Swarm = {
  chainId: number
  /** {@link deploymentTag} of the contracts. */
  deployment: string
}

/** 8 hexadecimal digits that name a set of contracts. @param addresses - in any order and letter case. */
export function deploymentTag(addresses: readonly string[]): string {
  const sorted = addresses.map(address => address.toLowerCase()).sort()
  return createHash('sha256').update(sorted.join(',')).digest('hex').slice(0, 8)
}

export function topicOf(swarm: Swarm, kind: TopicKind): string {
  return `/waggle/${swarm.chainId}/${swarm.deployment}/${kind}`
}

/** Every topic of the swarm; a host takes no others. */
export function topicsOf(swarm: Swarm): string[] {
  return [...announcementKinds, 'addresses' as const].map(kind => topicOf(swarm, kind))
}

/** The kind of a topic of this swarm, or null. */
export function kindOf(swarm: Swarm, topic: string): TopicKind | null {
  const kinds: readonly TopicKind[] = [...announcementKinds, 'addresses']
  return kinds.find(kind => topicOf(swarm, kind) === topic) ?? null
}
