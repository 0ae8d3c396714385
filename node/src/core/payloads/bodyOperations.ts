import { CanonicalError } from '../canonical.ts'
import type { Hex } from '../hex.ts'
import {
  type CanaryBundle,
  decodeCanaryBundle,
  decodeRolloutBundle,
  decodeScoreSheet,
  encodeCanaryBundle,
  encodeRolloutBundle,
  encodeScoreSheet,
  type RolloutBundle,
  type ScoreSheet,
  treeOf,
} from './bodies.ts'

/** What peers give each other, by kind. */
export type Bodies = { rollouts: RolloutBundle; scores: ScoreSheet; canary: CanaryBundle }

/** A body, and the Merkle tree of its leaves: its nodes, the root first; empty where nothing of it is committed to. */
export type OpenedBody<Body> = { body: Body; tree: readonly Hex[] }
export type SealedBody = { bytes: Uint8Array; tree: readonly Hex[] }

/** What is done with whole bodies: of thousands of leaves it takes a second. */
export interface BodyOperations {
  /** Null where the bytes are not a body of that kind. */
  open<Kind extends keyof Bodies>(kind: Kind, bytes: Uint8Array): Promise<OpenedBody<Bodies[Kind]> | null>
  /** Rejects with the code CANONICAL if the body is not what it should be. */
  seal<Kind extends keyof Bodies>(kind: Kind, body: Bodies[Kind]): Promise<SealedBody>
}

type Codec<Body> = { encode(body: Body): Uint8Array; decode(bytes: Uint8Array): Body; tree(body: Body): Hex[] }

const codecs: { [Kind in keyof Bodies]: Codec<Bodies[Kind]> } = {
  rollouts: { encode: encodeRolloutBundle, decode: decodeRolloutBundle, tree: treeOf },
  scores: { encode: encodeScoreSheet, decode: decodeScoreSheet, tree: () => [] },
  canary: { encode: encodeCanaryBundle, decode: decodeCanaryBundle, tree: () => [] },
}

/** On the thread of who calls. */
export const bodiesHere: BodyOperations = {
  async open(kind, bytes) {
    try {
      const body = codecs[kind].decode(bytes)
      return { body, tree: codecs[kind].tree(body) }
    } catch (error) {
      if (error instanceof CanonicalError) return null
      throw error
    }
  },
  async seal(kind, body) {
    return { bytes: codecs[kind].encode(body), tree: codecs[kind].tree(body) }
  },
}
