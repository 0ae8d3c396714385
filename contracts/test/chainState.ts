import { type Address, encodeAbiParameters, type Hex, keccak256, pad, toHex } from 'viem'

type Request = (request: { method: string; params?: unknown[] }) => Promise<unknown>

/** EIP-2935's contract, which the beacon of a round comes from. */
const HISTORY = '0x0000F90827F1C53a10cb7A02335B175320002935'

/** The chain's own memory of hashes, after which it asks that contract. */
const OWN_BLOCKS = 257

/**
 * Puts a chain of chosen hashes behind EIP-2935's contract, so that the beacons of a run follow from its seed alone, whatever else is in
 * its blocks: two ways to play then meet the same committees and the same samples.
 */
export async function chooseHistory(request: Request, roundSeconds: number): Promise<void> {
  const seconds = roundSeconds.toString(16).padStart(8, '0')
  // return keccak256(timestamp / roundSeconds, seed in slot 0)
  const code = `0x63${seconds}42045f525f5460205260405f205f5260205ff3`
  await request({ method: 'hardhat_setCode', params: [HISTORY, code] })
}

export async function seedHistory(request: Request, seed: number): Promise<void> {
  await request({ method: 'hardhat_setStorageAt', params: [HISTORY, '0x0', pad(toHex(seed + 1), { size: 32 })] })
}

/** Lets a block fall out of the chain's own memory. */
export async function forgetBlocks(request: Request): Promise<void> {
  await request({ method: 'hardhat_mine', params: [toHex(OWN_BLOCKS) satisfies Hex] })
}

/** Slots of OpenZeppelin's ERC-20. */
const BALANCES = 0n
const SUPPLY = 2n

/** Adds to an account's tokens and to the supply, as if they had been earned long ago. */
export async function endow(request: Request, token: Address, account: Address, amountWei: bigint): Promise<void> {
  const add = async (slot: Hex) => {
    const held = (await request({ method: 'eth_getStorageAt', params: [token, slot] })) as Hex
    await request({
      method: 'hardhat_setStorageAt',
      params: [token, slot, pad(toHex(BigInt(held) + amountWei), { size: 32 })],
    })
  }
  await add(keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [account, BALANCES])))
  await add(toHex(SUPPLY))
}
