import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import hre from 'hardhat'
import { contractNames } from '../../deployments/contractNames.ts'
import { abiModule } from '../../scripts/deploy/abiModule.ts'

test('the generated ABI module is not stale', async () => {
  const artifacts = await Promise.all(contractNames.map(name => hre.artifacts.readArtifact(name)))
  const file = path.join(hre.config.paths.root, 'deployments', 'abi.ts')
  assert(readFileSync(file, 'utf8') === abiModule(artifacts), 'deployments/abi.ts is stale: run "npx hardhat abi"')
})
