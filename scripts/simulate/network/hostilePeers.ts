import { contentId } from '../../../node/src/core/contentId.ts'
import type { Hex } from '../../../node/src/core/hex.ts'
import type { rootOf } from '../../../node/src/core/payloads/payloads.ts'
import type { PeerNode } from '../../../node/src/roles/peerNode.ts'
import type { Medium } from './medium.ts'
import type { Conduct } from './simulatedPeer.ts'

type Seal = PeerNode['payloads']['seal']
type RolloutPayload = Parameters<typeof rootOf>[0]

const ZERO: Hex = `0x${'00'.repeat(32)}`

/** Rollouts as a peer changes them before it commits to them. */
const changing =
  (change: (payload: RolloutPayload) => RolloutPayload) =>
  (node: PeerNode): PeerNode => {
    const seal = ((kind, payload) =>
      node.payloads.seal(
        kind,
        kind === 'rollouts' ? (change(payload as RolloutPayload) as typeof payload) : payload,
      )) as Seal
    return { ...node, payloads: { ...node.payloads, seal } }
  }

/** Each rollout of a payload, changed. */
const eachRollout = (change: (one: RolloutPayload['groups'][number]['rollouts'][number]) => object) =>
  changing(payload => ({
    ...payload,
    groups: payload.groups.map(group => ({
      ...group,
      rollouts: group.rollouts.map(one => ({ ...one, ...change(one) })),
    })),
  }))

const floats = (bytes: number, value: number) => new Uint8Array(new Float32Array(bytes / 4).fill(value).buffer)

/** Hostile behaviours, by name. Each peer has a registered key. */
export const hostileKinds: Record<string, (medium: Medium) => Conduct> = {
  'forged log-probabilities': () => ({
    bend: eachRollout(({ logprobs }) => ({ logprobs: floats(logprobs.byteLength, -12) })),
  }),
  'wrong answers': () => ({ skill: 0.2 }),
  'another seed': () => ({ bend: eachRollout(() => ({ seed: `0x${'5e'.repeat(32)}` })) }),
  'withheld payloads': () => ({ serve: async () => 'not-found' }),
  'payloads too large': () => ({ serve: async () => 'too-large' }),
  'other bytes': () => ({ serve: async () => new Uint8Array(1000) }),
  'one byte a second': medium => ({
    serve: async ({ onBytes, signal }) => {
      while (!signal.aborted) {
        await medium.pass(1_000)
        onBytes?.(1)
      }
      return 'timeout'
    },
  }),
  'always busy': () => ({ serve: async () => 'busy' }),
  'invented payloads': () => ({
    bend: node => ({
      ...node,
      network: {
        ...node.network,
        // Announces uncommitted payloads under its own name, beyond the rate limit.
        async publish(announcement) {
          for (let at = 0; at < 24; at++)
            await node.network.publish({ ...announcement, contentId: contentId(Buffer.from(`${at}`)), root: ZERO })
        },
      },
    }),
  }),
}
