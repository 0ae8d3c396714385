import { z } from 'zod'
import type { CamelKeys } from '#core/camelKeys.ts'
import { bindAddress } from './http/bindAddress.ts'

/** The settings that roles read themselves: schema, and what --help says. */
export const roleSettings = {
  level: z.coerce.number().int().min(1).max(5).optional().meta({
    value: 'N',
    description: 'proposer: hold the difficulty at this level (default: it follows the settled scores)',
  }),
  // None by default: each takes a bond of the chain's coin.
  demands: z.coerce.number().int().min(0).max(1_000).default(0).meta({
    value: 'N',
    description: 'evaluator: maximum number of withheld leaves to demand per round, each with a bond',
  }),
  // Each has to pay, and after one that changed nothing it rests; two keep the cost of a defect below two bonds.
  appeals: z
    .union([z.literal(['off', false]).transform(() => 0), z.coerce.number().int().min(0).max(32)])
    .default(2)
    .meta({
      value: 'N',
      description:
        'maximum number of automatic appeals, off for none. solver: wrong scores of a round, if the appeal pays; auditor: wrong scores of a round, at any cost; evaluator: open appeals of verdicts against its votes',
    }),
  'nectar-price': z.coerce.number().min(0).max(1e6).default(0.001).meta({
    value: 'X',
    description: "price of a Nectar in the chain's coin, to decide whether an appeal pays",
  }),
  // One is less than a round earns, so a model that is wrong costs no more.
  bets: z
    .union([z.literal(['off', false]).transform(() => 0), z.coerce.number().min(0).max(1_000)])
    .default(1)
    .meta({
      value: 'N',
      description:
        'solver: most Nectar staked on a market game, and lost in a day beyond what it won of the same Judge; it bets automatically on what its model believes; off for no bets',
    }),
  'bases-mb': z.coerce.number().int().min(1).max(1e7).optional().meta({
    value: 'N',
    description:
      'evaluator, auditor: memory in MiB for bases that stay loaded; each takes 4 bytes a parameter (default half of what is free at the start)',
  }),
  http: z.coerce
    .number()
    .int()
    .min(1)
    .max(65_535)
    .default(3001)
    .meta({ value: 'N', description: 'gateway: port of its HTTP server' }),
  bind: bindAddress.meta({
    value: 'ADDRESS',
    description:
      'gateway: address that its HTTP server listens on, such as 0.0.0.0 in a container; to serve others, put a proxy with TLS in front of it',
  }),
  'figures-of': z.array(z.string().min(1)).max(64).default([]).meta({
    value: 'DIR',
    description:
      'gateway: folder of your own solver, or proposer that learns, whose training figures it serves to the dashboard; may be repeated',
  }),
  // One, so that many peers can share a machine.
  threads: z.coerce.number().int().min(1).max(256).default(1).meta({
    value: 'N',
    description:
      "threads of a model's session; with more cores than twice as many, a solver's judge scores while it samples",
  }),
  'metrics-port': z.coerce.number().int().min(0).max(65_535).optional().meta({
    value: 'N',
    description: 'serve /health, /ready and Prometheus /metrics on this port (default none)',
  }),
  'metrics-bind': bindAddress.meta({
    value: 'ADDRESS',
    description:
      'address to serve metrics on; anyone who can reach an address other than loopback can read them without a password',
  }),
}

export type RoleSettings = Readonly<CamelKeys<z.infer<z.ZodObject<typeof roleSettings>>>>
