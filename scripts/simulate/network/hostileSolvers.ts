import { contentId } from '../../../node/src/core/contentId.ts'
import { type Hex, ZERO_HASH } from '../../../node/src/core/hex.ts'
import { MAX_SEQUENCE_TOKENS, type RolloutBundle } from '../../../node/src/core/payloads/payloads.ts'
import type { PeerNode } from '../../../node/src/roles/peerNode.ts'
import type { Hostile } from './simulatedPeer.ts'

type Seal = PeerNode['payloads']['seal']
type Group = RolloutBundle['groups'][number]
type Rollout = Group['rollouts'][number]

/** Rollouts as a peer changes them before it commits to them. */
const eachGroup =
  (change: (group: Group) => Rollout[]) =>
  (node: PeerNode): PeerNode => {
    const changed = (payload: RolloutBundle) => ({
      ...payload,
      groups: payload.groups.map(group => ({ ...group, rollouts: change(group) })),
    })
    const seal = ((kind, payload) =>
      node.payloads.seal(
        kind,
        kind === 'rollouts' ? (changed(payload as RolloutBundle) as typeof payload) : payload,
      )) as Seal
    return { ...node, payloads: { ...node.payloads, seal } }
  }

const eachRollout = (change: (one: Rollout) => Partial<Rollout>) =>
  eachGroup(({ rollouts }) => rollouts.map(one => ({ ...one, ...change(one) })))

const OTHER_SEED: Hex = `0x${'5e'.repeat(32)}`
const floats = (count: number, value: number) => new Uint8Array(new Float32Array(count).fill(value).buffer)

/**
 * Solvers that lie about their work, or do not give it.
 *
 * An answer whose code hangs takes the judge as long as the sandbox lets a case run. That it takes no other peer's verdict is what
 * `node/src/sandbox/createSandbox.test.ts` holds, for each hostile case.
 */
export const hostileSolvers: Record<string, Hostile> = {
  'forged log-probabilities': () => ({
    bend: eachRollout(({ logprobs }) => ({ logprobs: floats(logprobs.byteLength / 4, -12) })),
  }),
  // A policy that is always right would be certain.
  'claims of certainty': () => ({
    skill: 0.5,
    bend: eachRollout(({ logprobs }) => ({ logprobs: floats(logprobs.byteLength / 4, 0) })),
  }),
  'wrong answers': () => ({ skill: 0.2 }),
  'answers that hang': () => ({ skill: 0.2, hangs: true }),
  'answers too long': () => ({
    bend: eachRollout(() => ({
      completionTokens: new Uint8Array(2 * MAX_SEQUENCE_TOKENS).fill(2),
      logprobs: floats(MAX_SEQUENCE_TOKENS, -1),
    })),
  }),
  'one answer, repeated': () => ({
    skill: 0.5,
    bend: eachGroup(({ rollouts }) => rollouts.map(({ index }) => ({ ...(rollouts[0] as Rollout), index }))),
  }),
  'another seed': () => ({ bend: eachRollout(() => ({ seed: OTHER_SEED })) }),
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
            await node.network.publish({ ...announcement, contentId: contentId(Buffer.from(`${at}`)), root: ZERO_HASH })
        },
      },
    }),
  }),
}
