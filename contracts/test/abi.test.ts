import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import hre from 'hardhat'
import { staleFiles } from '../../scripts/deploy/abiModule.ts'
import { generatedFiles } from '../../scripts/deploy/generatedFiles.ts'

test('the ABIs and the bytecode that deployments/ keeps are not stale', async () => {
  const stale = await staleFiles(path.join(hre.config.paths.root, 'deployments'), await generatedFiles(hre))
  assert.deepEqual(stale, [], 'run "npx hardhat abi"')
})
