import { parseEther } from 'viem'
import { z } from 'zod'

/** Of the chain's coin. */
const coin = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,18})?$/, "not an amount of the chain's coin, such as 0.05")
  .transform(text => parseEther(text))

/** What a sponsor gives, and to how many. */
export const sponsorSettings = {
  /** Port of its HTTP server. */
  http: z.coerce.number().int().min(0).max(65_535).default(3010),
  /** Address that it listens at. Loopback: others come through a proxy with TLS. */
  bind: z.union([z.ipv4(), z.ipv6()]).default('127.0.0.1'),
  /** Rounds of gas that the account of a peer that works is kept supplied with: a short outage of the sponsor costs nobody a round. */
  rounds: z.coerce.number().int().min(1).max(10_000).default(24),
  /** For one peer a day. A hundred rounds and more on a test network or a roll-up. */
  'peer-budget': coin.default(parseEther('0.02')),
  /** For all peers a day. */
  budget: coin.default(parseEther('0.5')),
  /** Registrations an hour. Each gives an account some rounds of gas before it has worked. */
  hourly: z.coerce.number().int().min(1).max(10_000).default(20),
}

export const sponsorSettingsSchema = z.strictObject(sponsorSettings)
export type SponsorSettings = z.infer<typeof sponsorSettingsSchema>
