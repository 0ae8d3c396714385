import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import hre from 'hardhat'
import { contractNames } from '../../deployments/contractNames.ts'
import { abiModules, staleModules } from '../../scripts/deploy/abiModule.ts'

test('the generated ABI modules are not stale', async () => {
  const modules = abiModules(await Promise.all(contractNames.map(name => hre.artifacts.readArtifact(name))))
  const stale = await staleModules(path.join(hre.config.paths.root, 'deployments'), modules)
  assert.deepEqual(stale, [], 'run "npx hardhat abi"')
})
