import { z } from 'zod'
import type { CamelKeys } from '#core/camelKeys.ts'

const gwei = z.coerce.number().min(0.001).max(1e6)

/** Bounds of what an account pays for gas: schema, and --help texts. */
export const feeSettings = {
  // Ethereum's base fee was above it for some hours in all.
  'max-fee-gwei': gwei.default(500).meta({
    value: 'X',
    description: 'highest price of a unit of gas; while it costs more, transactions wait',
  }),
  // Block producers ask for less than an eighth of it but for minutes; a false suggestion of an endpoint costs no more.
  'max-tip-gwei': gwei.default(16).meta({
    value: 'X',
    description:
      'highest part of that price for the block producer: an eighth of it for a first attempt, more for those that replace a stuck one',
  }),
}

const schema = z.object(feeSettings)
export type FeeSettings = CamelKeys<z.infer<typeof schema>>

export type FeeLimits = {
  /** Highest price of a unit of gas, wei. */
  maxFeePerGasWei: bigint
  /** Most of it that goes to the block's producer, wei. A first attempt offers an eighth at most: replacements must offer more. */
  maxTipPerGasWei: bigint
}

export function feeLimits({ maxFeeGwei, maxTipGwei }: FeeSettings): FeeLimits {
  return { maxFeePerGasWei: weiOf(maxFeeGwei), maxTipPerGasWei: weiOf(maxTipGwei) }
}

const weiOf = (gwei: number) => BigInt(Math.round(gwei * 1e6)) * 1_000n

const { 'max-fee-gwei': maxFeeGwei, 'max-tip-gwei': maxTipGwei } = schema.parse({})
export const defaultFeeLimits = feeLimits({ maxFeeGwei, maxTipGwei })
