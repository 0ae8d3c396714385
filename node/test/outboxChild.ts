/** A node that only commits: started and killed by outboxKill.e2e.test.ts. Arguments: data folder, RPC URL, deployment as JSON, count. */
import { join } from 'node:path'
import { openChain } from '#chain/openChain.ts'
import { systemClock } from '#core/clock.ts'
import type { Hex } from '#core/hex.ts'
import { silentLogger } from '#core/logger.ts'
import { openIdentity } from '#store/identity.ts'
import { openDatabase } from '#store/openDatabase.ts'
import { createOutboxTable } from '#store/outboxTable.ts'

const [dataDir = '', rpcUrl = '', deployment = '', count = '0'] = process.argv.slice(2)
const identity = await openIdentity(dataDir)
const stop = new AbortController()
const chain = await openChain({
  rpcUrl,
  deployment: JSON.parse(deployment),
  accountKey: identity.accountKey,
  peerKey: identity.peerKey,
  signer: identity.signer,
  outbox: createOutboxTable(openDatabase(join(dataDir, 'journal.sqlite'))),
  clock: systemClock,
  logger: silentLogger,
  signal: stop.signal,
  pollMs: 50,
})
const registered = await chain.registerPeer()
console.log(`registered ${registered.status}`)
const word = (byte: number): Hex => `0x${byte.toString(16).padStart(64, '0')}`
const commits = Array.from({ length: Number(count) }, (_, i) =>
  chain.commitRollouts({ round: 0, root: word(i + 1), count: 1, policyHash: word(1), contentId: word(2) }),
)
console.log('enqueued')
for (const [i, commit] of commits.entries()) console.log(`commit ${i + 1} ${(await commit).status}`)
stop.abort()
await chain.done
