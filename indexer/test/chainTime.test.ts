import { expect, test } from 'vitest'

test("chain time names the index's schema, which Postgres does not search when it makes views", async () => {
  Object.assign(globalThis, { PONDER_NAMESPACE_BUILD: { schema: 'waggle_1' } })
  const { chainTimeSec } = await import('../schema/chainTime.ts')
  expect(JSON.stringify(chainTimeSec.queryChunks)).toContain(
    JSON.stringify('"waggle_1"._ponder_checkpoint').slice(1, -1),
  )
})
