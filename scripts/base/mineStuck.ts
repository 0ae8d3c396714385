import type { TestClient } from 'viem'

const LOOK_EVERY_MS = 1_000

/** The methods of a test client that are used. */
type Chain = Pick<TestClient, 'getAutomine' | 'getTxpoolContent' | 'mine'>

/**
 * Mines a block if a transaction is pending at two polls in a row, unless mining is off: now and then Anvil leaves a transaction in its pool
 * that it should mine at once (foundry-rs/foundry#10122).
 *
 * @returns ends it.
 */
export function mineStuck(client: Chain): () => void {
  let seen = new Set<string>()
  const look = async () => {
    const { pending } = await client.getTxpoolContent()
    const hashes = Object.values(pending).flatMap(byNonce => Object.values(byNonce).map(({ hash }) => hash))
    const stuck = hashes.some(hash => seen.has(hash)) && (await client.getAutomine())
    seen = new Set(hashes)
    if (stuck) await client.mine({ blocks: 1 })
  }
  // A chain that a test has stopped does not answer.
  const timer = setInterval(() => void look().catch(() => seen.clear()), LOOK_EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}
