/** Gas of a registration, with the consent that a sponsor's has. An RSA key takes about a third more. */
export const REGISTRATION_GAS = 150_000n
/** What all roles of a peer spend together in a round. */
export const ROUND_GAS = 150_000n
/** The price of gas moves. */
const MARGIN = 2n

/** @param gasPriceWei - of a unit now. */
export function costWei(gas: bigint, gasPriceWei: bigint): bigint {
  return MARGIN * gas * gasPriceWei
}
