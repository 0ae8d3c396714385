import assert from 'node:assert/strict'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import hre from 'hardhat'
import { contractNames } from '../../deployments/contractNames.ts'
import { prebuiltArtifacts, sourcesHash } from '../../scripts/deploy/bytecode.ts'
import { CREATIONS, deployOn, freshDir, freshOptions, TRANSACTIONS } from './deployOn.ts'
import { type Anvil, startAnvil } from './startAnvil.ts'

let anvil: Anvil

before(async () => {
  anvil = await startAnvil(31337)
})

after(() => anvil.stop())

test('a deployment of the prebuilt bytecode creates what a compiled one does', async () => {
  const compiled = freshOptions({ startsAtSec: 4_000_000_000 })
  const prebuilt = { ...freshOptions({ startsAtSec: 4_000_000_000 }), isPrebuilt: true }
  const outcomes = [await deployOn('local', anvil.url, compiled), await deployOn('local', anvil.url, prebuilt)]
  assert.deepEqual(
    outcomes.map(({ sent }) => sent),
    [TRANSACTIONS, TRANSACTIONS],
  )
  for (const name of contractNames) {
    const addresses = outcomes.map(({ deployment }) => deployment.contracts[name].address)
    const codes = await Promise.all(addresses.map(address => anvil.rpc('eth_getCode', address, 'latest')))
    // Addresses of the other contracts are immutables in the code.
    assert.equal(String(codes[0]).length, String(codes[1]).length, name)
  }
  const artifact = path.join(prebuilt.journalDir, 'artifacts', 'Protocol#Rounds.json')
  assert.match(readFileSync(artifact, 'utf8'), /"sourceName": "deployments\/bytecode.json"/)
})

test('every contract that a deployment creates has prebuilt bytecode and a constructor to call', async () => {
  const resolver = await prebuiltArtifacts(hre.config)
  assert(resolver)
  const names = [...contractNames, 'ERC1967Proxy']
  assert.equal(names.length, CREATIONS)
  for (const name of names) {
    const { abi, bytecode } = await resolver.loadArtifact(name)
    const compiled = await hre.artifacts.readArtifact(name)
    assert.equal(bytecode, compiled.bytecode, name)
    const inputs = (entries: readonly { type: string; inputs?: readonly { type: string }[] }[]) =>
      entries.find(({ type }) => type === 'constructor')?.inputs?.map(({ type }) => type)
    assert.deepEqual(inputs(abi), inputs(compiled.abi as never), name)
  }
})

test('bytecode is not taken for sources or settings that it was not made from', async () => {
  const { paths, solidity } = hre.config
  const folder = freshDir()
  for (const source of paths.sources.solidity) cpSync(source, folder, { recursive: true })
  const changed = { ...hre.config, paths: { ...paths, sources: { ...paths.sources, solidity: [folder] } } }
  assert.equal(await sourcesHash(changed), await sourcesHash(hre.config))
  const rounds = path.join(folder, 'Rounds.sol')
  writeFileSync(rounds, `${readFileSync(rounds, 'utf8')}\n`)
  assert.equal(await prebuiltArtifacts(changed), undefined)
  const settings = { ...hre.config, solidity: { ...solidity, npmFilesToBuild: [] } }
  assert.equal(await prebuiltArtifacts(settings), undefined)
})
