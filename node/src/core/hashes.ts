import type { z } from 'zod'
import { type Hex, hash32Schema } from './hex.ts'

/**
 * A branded type. Plain `Hex` is assignable to any of them, so that values from a chain or a schema need no cast; one brand is not
 * assignable to another.
 */
type Flavour<T, Name extends string> = T & { readonly __flavour?: Name }

/** keccak-256 of a peer id: how the chain names a peer. */
export type PeerKey = Flavour<Hex, 'PeerKey'>
/** Private key of an account, 32 bytes. */
export type AccountKey = Flavour<Hex, 'AccountKey'>
/** Address of the account that a peer sends from, 20 bytes. */
export type AccountAddress = Flavour<Hex, 'AccountAddress'>
/** keccak-256 from a beacon block: unknown before its round has ended. */
export type Beacon = Flavour<Hex, 'Beacon'>
/** Seed of random numbers: see `roundSeed`. */
export type Seed = Flavour<Hex, 'Seed'>
/** Merkle root of a commitment. */
export type Root = Flavour<Hex, 'Root'>
/** Hash of a leaf of a Merkle tree. */
export type LeafHash = Flavour<Hex, 'LeafHash'>
/** sha-256 of a payload as it is stored and sent. */
export type ContentId = Flavour<Hex, 'ContentId'>
/** sha-256 of the canonical encoding of one rollout's body. */
export type BodyHash = Flavour<Hex, 'BodyHash'>
/** Identity of a task in its round. */
export type TaskHash = Flavour<Hex, 'TaskHash'>
/** Identity of the weights and adapters that a peer samples from. */
export type PolicyHash = Flavour<Hex, 'PolicyHash'>
/** Hash of the specification of an environment. */
export type EnvironmentHash = Flavour<Hex, 'EnvironmentHash'>
/** Random or derived bytes that hide a committed value. */
export type Salt = Flavour<Hex, 'Salt'>

/** {@link hash32Schema} for a value of one name. */
export const hash32 = <T extends Hex>() => hash32Schema as unknown as z.ZodType<T, T>
