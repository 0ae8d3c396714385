import { afterAll, beforeAll } from 'vitest'
import { type ChainScene, openChainScene } from './chain/chainScene.ts'
import { testChallenges } from './chain/challenges.ts'
import { testDisputes } from './chain/disputes.ts'
import { testSettlement } from './chain/settlement.ts'
import { testWrites } from './chain/writes.ts'

/** Filled before the first test. */
const scene = {} as ChainScene

beforeAll(async () => {
  Object.assign(scene, await openChainScene())
})

afterAll(async () => {
  scene.stop?.abort()
  await scene.local?.stop()
})

testSettlement(scene)
testDisputes(scene)
testChallenges(scene)
testWrites(scene)
