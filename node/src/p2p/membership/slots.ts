import { isRelayed, type Origin, originOf } from './origin.ts'

/** A connection that exists or is about to. */
export type Held = {
  readonly peerId: string
  /** Multiaddr of the other end. */
  readonly address: string
  /** Subnet, relay or proxy: peers with the same one may be of one operator. */
  readonly source: string
  /** Registered, or a bootnode. */
  readonly isMember: boolean
  /** Whether it is connected: those that are about to connect cannot be evicted. */
  readonly isHere: boolean
  /** Whether it has had time to catch up: it has been connected for that long, or, for a newcomer, it was connected a moment ago. */
  readonly hasMet: boolean
}

export type Refusal = 'full' | 'strangers' | 'host' | 'subnet'

/** `evict`: the peer that the newcomer replaces. */
export type SlotDecision = { admit: true; evict?: string } | { admit: false; reason: Refusal }

export type SlotLimits = {
  /** Connections in all. */
  total: number
  /** From one host, and from one subnet; loopback is exempt. */
  members: { perHost: number; perSubnet: number }
  strangers: { perHost: number; perSubnet: number }
  /**
   * Whether a member that has met this host gives way to one that has not, if members have all slots. Only at a bootnode: a peer that cannot meet it
   * meets nobody. At other peers, incumbents that stay protect them from being surrounded.
   */
  membersGiveWay?: boolean
}

export const defaultSlotLimits = {
  members: { perHost: 16, perSubnet: 32 },
  strangers: { perHost: 4, perSubnet: 8 },
}

/** Strangers have half of the slots at most, so that a registered peer finds one free while it is asked about. */
const STRANGERS_SHARE = 0.5

/**
 * Assigns slots. Whether a peer is a member is decided before; a stranger is evicted when a member finds all slots taken, or a stranger its share.
 *
 * @param random - draws the evicted peer, so that nobody can steer the choice.
 */
export function decideSlot(
  newcomer: Held,
  held: readonly Held[],
  limits: SlotLimits,
  random: () => number,
): SlotDecision {
  const others = held.filter(({ peerId }) => peerId !== newcomer.peerId)
  const strangers = others.filter(({ isMember }) => !isMember)
  const near = limits[newcomer.isMember ? 'members' : 'strangers']
  const peers = newcomer.isMember ? others.filter(({ isMember }) => isMember) : strangers
  const crowded = crowdedAt(originOf(newcomer.address), peers, near)
  if (crowded !== null) {
    const through = newcomer.isMember ? throughSameRelay(newcomer, peers) : []
    const evict = pick(through, random)?.peerId
    return evict === undefined ? { admit: false, reason: crowded } : { admit: true, evict }
  }
  const isShareTaken = !newcomer.isMember && strangers.length >= Math.floor(limits.total * STRANGERS_SHARE)
  if (!isShareTaken && others.length < limits.total) return { admit: true }
  const among = newcomer.isMember ? giveWay(newcomer, others, limits) : crowdOf(newcomer, strangers)
  const evict = pick(among, random)?.peerId
  return evict === undefined ? { admit: false, reason: isShareTaken ? 'strangers' : 'full' } : { admit: true, evict }
}

/**
 * Strangers that may be evicted for another one: those of the source with the most that has any, among sources that have more than the newcomer's would
 * have. So a few subnets do not keep everybody else out, and a stranger that is alone in its subnet stays.
 */
function crowdOf({ source }: Held, strangers: readonly Held[]): readonly Held[] {
  const bySource = Map.groupBy(strangers, one => one.source)
  const own = (bySource.get(source)?.length ?? 0) + 1
  const crowds = [...bySource.values()].filter(({ length }) => length > own).sort((a, b) => b.length - a.length)
  const mayGo = crowds.map(crowd => crowd.filter(({ isHere, hasMet }) => isHere && hasMet))
  return mayGo.find(({ length }) => length > 0) ?? []
}

/** Connections through the same relay. Its host does not identify them: if they could stay forever, 16 of them would keep everybody else out. */
function throughSameRelay({ address }: Held, peers: readonly Held[]): Held[] {
  if (!isRelayed(address)) return []
  const host = originOf(address)?.host
  return peers.filter(one => one.isHere && isRelayed(one.address) && originOf(one.address)?.host === host)
}

/** Peers that may be evicted for a registered peer: strangers first. */
function giveWay(newcomer: Held, others: readonly Held[], { membersGiveWay }: SlotLimits): readonly Held[] {
  const here = others.filter(({ isHere }) => isHere)
  const strangers = here.filter(({ isMember }) => !isMember)
  if (strangers.length > 0) return strangers
  return membersGiveWay && !newcomer.hasMet ? here.filter(({ hasMet }) => hasMet) : []
}

const pick = <T>(among: readonly T[], random: () => number): T | undefined => among[Math.floor(random() * among.length)]

function crowdedAt(
  origin: Origin | null,
  peers: readonly Held[],
  { perHost, perSubnet }: SlotLimits['members'],
): Refusal | null {
  if (origin === null || origin.isLoopback) return null
  const origins = peers.map(({ address }) => originOf(address))
  if (origins.filter(one => one?.host === origin.host).length >= perHost) return 'host'
  return origins.filter(one => one?.subnet === origin.subnet).length >= perSubnet ? 'subnet' : null
}
