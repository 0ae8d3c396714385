import { z } from 'zod'
import type { Hex } from '#core/hex.ts'

// Messages between a peer and its sponsor, as JSON over HTTP. Both sides validate them.

/** Path for posting registrations and reading terms; below it, by key, a peer's standing. */
export const SPONSOR_PATH = '/v1/sponsor'

/** The largest is of an RSA key with 4096 bits, 4.5 KB. */
export const MAX_REQUEST_BYTES = 8_192

/** Characters of an invitation. The shortest resists guessing: the server is open to anybody. */
export const INVITATION_LENGTH = { min: 16, max: 200 }

const hex = (bytes: number) =>
  z
    .string()
    .max(2 + 2 * bytes)
    .regex(/^0x([0-9a-fA-F]{2})+$/)
    .transform(text => text.toLowerCase() as Hex)
const address = hex(20).refine(text => text.length === 42)

export const requestSchema = z.strictObject({
  peerId: z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{40,64}$/),
  account: address,
  publicKey: hex(600),
  rsa: z.strictObject({ modulus: hex(512), exponent: z.int().min(3).max(0xffffffff) }).optional(),
  nonce: z.int().min(0),
  deadlineSec: z.int().min(0),
  signature: hex(512),
  consent: hex(65),
  /** The invitation, if the sponsor requires one. */
  token: z.string().min(1).max(INVITATION_LENGTH.max).optional(),
})

export type SponsorRequest = z.infer<typeof requestSchema>

/** `sending`: the transaction is on its way, and gas comes after it. `registered`: the sponsor's work of an earlier request. */
export const answerSchema = z.object({ status: z.enum(['sending', 'registered']) })

export const refusalSchema = z.object({ error: z.string().max(500) })

/** Amounts are in the chain's coin. */
export const termsSchema = z.object({
  chainId: z.number(),
  registry: address,
  account: address,
  /** Rounds of gas that a working peer's account is kept supplied with. */
  rounds: z.number(),
  peerBudget: z.string(),
  /** Registrations left in this hour. */
  registrationsLeft: z.number(),
  needsInvitation: z.boolean(),
  /** Its account, or its budget of the day, soon ends. */
  isLow: z.boolean(),
})

export const standingSchema = z.object({
  account: address,
  /** The last round in which its work was on the chain. */
  workedRound: z.number().nullable(),
  /** Spent within 24 hours, and the rest of the day's budget. */
  spent: z.string(),
  left: z.string(),
  isLow: z.boolean(),
})

export type SponsorTerms = z.infer<typeof termsSchema>
export type SponsorStanding = z.infer<typeof standingSchema>
