import { createHash } from 'node:crypto'
import type { Hex } from '#core/hex.ts'
import type { OwnAnnouncement } from './announcements.ts'
import type { Swarm } from './topics.ts'

export const testSwarm: Swarm = { chainId: 31337, deployment: '0123abcd' }

export const hash = (text: string): Hex => `0x${createHash('sha256').update(text).digest('hex')}`

export function ownAnnouncement(changes: Partial<OwnAnnouncement> = {}): OwnAnnouncement {
  const filled = { kind: 'rollouts' as const, round: 5, contentId: hash('payload'), root: hash('root'), count: 8 }
  return { ...filled, policyHash: hash('policy'), size: 1000, ...changes }
}
