import { expect, test } from 'vitest'
import { checkGames, checkProposals } from './checkHooks.ts'
import { loadStarterEnvironments } from './codezero/loadStarter.ts'

test('proposals and games of CodeZero pass the checks', async () => {
  const starter = (await loadStarterEnvironments()).starter
  expect(starter.proposals).not.toBeNull()
  expect(await checkProposals(starter)).toEqual([])
  expect(starter.games).toBeDefined()
  expect(await checkGames(starter)).toEqual([])
})
