/** Gas of a registration, including the consent that a sponsor needs. An RSA key takes about a third more. */
export const REGISTRATION_GAS = 150_000n
/** Gas of all roles together for a peer in a round. */
export const ROUND_GAS = 150_000n
/** Margin for changes of the gas price. */
const MARGIN = 2n

/** @param gasPriceWei - of a unit now. */
export function costWei(gas: bigint, gasPriceWei: bigint): bigint {
  return MARGIN * gas * gasPriceWei
}
