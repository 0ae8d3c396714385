import { parseEther } from 'viem'
import { z } from 'zod'
import { bindAddress } from '../http/bindAddress.ts'

/** Amount of the chain's coin. */
const coin = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,18})?$/, "not an amount of the chain's coin, such as 0.05")
  .transform(text => parseEther(text))

/** A sponsor's settings: schema, and their --help texts. */
export const sponsorSettings = {
  http: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(3010)
    .meta({ value: 'N', description: 'port of its HTTP server' }),
  bind: bindAddress.meta({
    value: 'ADDRESS',
    description: 'where it listens; to serve others, put a proxy with TLS in front of it',
  }),
  // A short outage of the sponsor costs nobody a round.
  rounds: z.coerce.number().int().min(1).max(10_000).default(24).meta({
    value: 'N',
    description: 'rounds of gas to keep in an account while its peer works',
  }),
  // A hundred rounds and more on a test network or a roll-up.
  'peer-budget': coin
    .prefault('0.02')
    .meta({ value: 'X', description: "budget for one peer a day, in the chain's coin" }),
  budget: coin.prefault('0.5').meta({ value: 'X', description: "budget for all peers a day, in the chain's coin" }),
  // Each gives an account some rounds of gas before it has worked.
  hourly: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(20)
    .meta({ value: 'N', description: 'registrations an hour' }),
}

export const sponsorSettingsSchema = z.strictObject(sponsorSettings)
export type SponsorSettings = z.infer<typeof sponsorSettingsSchema>
