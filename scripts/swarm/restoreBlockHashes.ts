/**
 * Has a chain that was resumed know the hashes of its blocks again. Anvil reads them from its state for `eth_getBlockByNumber`, but not for the
 * opcode BLOCKHASH, which answers with the hash of the number's digits: a beacon that is drawn then is another one than its block's hash, by
 * which peers sampled. Taking a block back restores them all. It is an empty one, made for this.
 *
 * @see https://github.com/foundry-rs/foundry/pull/15167
 */
export async function restoreBlockHashes(rpcUrl: string): Promise<void> {
  for (const method of ['anvil_mine', 'anvil_rollback']) await call(rpcUrl, method, [1])
}

async function call(rpcUrl: string, method: string, params: readonly number[]): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { error } = (await response.json()) as { error?: { message: string } }
  if (error !== undefined) throw new Error(`the chain refused ${method}: ${error.message}`)
}
