import type { Cast } from '../play.ts'
import type { TestChain } from '../testChain.ts'
import type { TestIndexer } from '../testIndexer.ts'

/** One chain and one indexer for all suites: each continues where the previous one ended. Set before the first test. */
export interface Scene {
  chain: TestChain
  indexer: TestIndexer
  cast: Cast
}
