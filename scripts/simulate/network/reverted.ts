import { BaseError, encodeErrorResult } from 'viem'
import { contractErrors } from '../../../node/src/chain/contracts.ts'
import type { Hex } from '../../../node/src/core/hex.ts'

/** A call that the contracts refuse, as viem's errors carry it. */
export class Reverted extends BaseError {
  readonly data: Hex
  constructor(errorName: string, args: readonly unknown[]) {
    super(errorName)
    this.data = encodeErrorResult({ abi: contractErrors, errorName, args } as never)
  }
}

/** @throws {Reverted} with a contract's error, unless `isSo`. */
export function require(isSo: boolean, error: string, values: readonly unknown[]): asserts isSo {
  if (!isSo) throw new Reverted(error, values)
}
