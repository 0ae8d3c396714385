import { type Origin, originOf } from './origin.ts'

/** A connection that is there, or about to be. */
export type Held = {
  readonly peerId: string
  /** Multiaddr of the other end. */
  readonly address: string
  /** Registered, or a bootnode. */
  readonly isMember: boolean
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
   * Whether a member gives way to another where members have all slots. Only a bootnode does: who cannot meet it meets nobody, while
   * incumbents that stay protect every other peer from being surrounded.
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
 * Who gets a slot. Members are told from strangers before this; a stranger goes where a member finds all slots taken.
 *
 * @param random - who goes is drawn, so that nobody can see to it that it is another.
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
    const evict = through[Math.floor(random() * through.length)]?.peerId
    return evict === undefined ? { admit: false, reason: crowded } : { admit: true, evict }
  }
  if (!newcomer.isMember && strangers.length >= Math.floor(limits.total * STRANGERS_SHARE))
    return { admit: false, reason: 'strangers' }
  if (others.length < limits.total) return { admit: true }
  const giveWay = strangers.length === 0 && limits.membersGiveWay ? others : strangers
  const evict = newcomer.isMember ? giveWay[Math.floor(random() * giveWay.length)]?.peerId : undefined
  return evict === undefined ? { admit: false, reason: 'full' } : { admit: true, evict }
}

/** Those that came through the same relay. Its host says nothing of who they are: if they stayed for ever, 16 of them would keep out everybody else. */
function throughSameRelay({ address }: Held, peers: readonly Held[]): Held[] {
  if (!isRelayed(address)) return []
  const host = originOf(address)?.host
  return peers.filter(one => isRelayed(one.address) && originOf(one.address)?.host === host)
}

const isRelayed = (address: string): boolean => address.includes('/p2p-circuit')

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
