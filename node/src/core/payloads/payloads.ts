import { CanonicalError } from '../canonical.ts'
import type { Root } from '../hashes.ts'
import type { Hex } from '../hex.ts'
import { merkleTree } from '../merkle.ts'
import { type CanaryBundle, decodeCanaryBundle, encodeCanaryBundle } from './canaryBundle.ts'
import { decodeRolloutBundle, encodeRolloutBundle, type RolloutBundle, rolloutLeaves } from './rolloutBundle.ts'
import { decodeScoreSheet, encodeScoreSheet, type ScoreSheet } from './scoreSheet.ts'

export * from './canaryBundle.ts'
export * from './payloadFields.ts'
export * from './rolloutBundle.ts'
export * from './scoreSheet.ts'

/** The Merkle tree of this bundle, whose root its commitment has: its nodes, the root first. */
export function treeOf(bundle: RolloutBundle): Hex[] {
  return merkleTree(rolloutLeaves(bundle))
}

/** The Merkle root in a commitment to this bundle. */
export function rootOf(bundle: RolloutBundle): Root {
  return treeOf(bundle)[0] as Hex
}

/** Payloads by kind. */
export type Payloads = { rollouts: RolloutBundle; scores: ScoreSheet; canary: CanaryBundle }

/** A payload, and the Merkle tree of its leaves: its nodes, the root first; empty if payloads of this kind are not committed. */
export type OpenedPayload<Payload> = { payload: Payload; tree: readonly Hex[] }
export type SealedPayload = { bytes: Uint8Array; tree: readonly Hex[] }

/** Operations on whole payloads: with thousands of leaves they take a second. */
export interface PayloadOperations {
  /** Null if the bytes are not a payload of that kind. */
  open<Kind extends keyof Payloads>(kind: Kind, bytes: Uint8Array): Promise<OpenedPayload<Payloads[Kind]> | null>
  /** Rejects with the code CANONICAL if the payload is invalid. */
  seal<Kind extends keyof Payloads>(kind: Kind, payload: Payloads[Kind]): Promise<SealedPayload>
}

type Codec<Payload> = {
  encode(payload: Payload): Uint8Array
  decode(bytes: Uint8Array): Payload
  tree(payload: Payload): Hex[]
}

const codecs: { [Kind in keyof Payloads]: Codec<Payloads[Kind]> } = {
  rollouts: { encode: encodeRolloutBundle, decode: decodeRolloutBundle, tree: treeOf },
  scores: { encode: encodeScoreSheet, decode: decodeScoreSheet, tree: () => [] },
  canary: { encode: encodeCanaryBundle, decode: decodeCanaryBundle, tree: () => [] },
}

/** On the caller's thread. */
export const payloadsHere: PayloadOperations = {
  async open(kind, bytes) {
    try {
      const payload = codecs[kind].decode(bytes)
      return { payload, tree: codecs[kind].tree(payload) }
    } catch (error) {
      if (error instanceof CanonicalError) return null
      throw error
    }
  },
  async seal(kind, payload) {
    return { bytes: codecs[kind].encode(payload), tree: codecs[kind].tree(payload) }
  },
}
