import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Address, Hex } from 'viem'
import type { Deployment } from '../../deployments/record.ts'
import { chainReader } from '../../scripts/deploy/chain.ts'
import type { DeployOptions } from '../../scripts/deploy/deployProtocol.ts'
import { isCodeOf } from '../../scripts/deploy/isCodeOf.ts'
import { deployOn, freshOptions, refused } from './deployOn.ts'
import { type Anvil, startAnvil } from './startAnvil.ts'

/** Bytes at the end of a code that name the compiler and the hash of the sources. */
const METADATA = 53
let anvil: Anvil

before(async () => {
  anvil = await startAnvil(31337)
})

after(() => anvil.stop())

const again = (options: DeployOptions) => deployOn('local', anvil.url, options)

/** Changes a byte of a contract, counted from its end. */
async function changeCode(address: Address, fromEnd: number): Promise<void> {
  const code = Buffer.from((await anvil.rpc<Hex>('eth_getCode', address, 'latest')).slice(2), 'hex')
  const at = code.length - fromEnd
  code.writeUInt8(code.readUInt8(at) ^ 1, at)
  await anvil.rpc('anvil_setCode', address, `0x${code.toString('hex')}`)
}

/** Where the code is that the coordinator's proxy runs. */
function coordinatorCode({ contracts }: Deployment): Promise<Address> {
  const chain = chainReader({ request: ({ method, params }) => anvil.rpc(method, ...(params as unknown[])) })
  return chain.implementation(contracts.SwarmCoordinator.address)
}

test('contracts of another release with the same ABIs are refused, with the journal, without the record, and without the journal', async () => {
  const options = freshOptions()
  const { deployment } = await again(options)
  await changeCode(deployment.contracts.Challenges.address, METADATA + 1)
  const message = await refused('CONTRACTS_CHANGED', again(options))
  assert.match(message, /^the code on the chain of Challenges is not this release's: go back to the release/)
  assert.match(message, /deploy afresh: move .*ignition and .*deployment\.json away and run it again; points/)
  const record = readFileSync(options.recordFile)
  rmSync(options.recordFile)
  await refused('CONTRACTS_CHANGED', again(options))
  writeFileSync(options.recordFile, record)
  rmSync(options.journalDir, { recursive: true })
  await refused('CONTRACTS_CHANGED', again(options))
})

test('in the folder of a swarm the way on names that folder, and no option that its user did not give', async () => {
  const options = freshOptions()
  const { deployment } = await again(options)
  const folder = path.dirname(options.journalDir)
  mkdirSync(path.join(folder, 'peers'))
  const begin = `begin a new swarm with npm run swarm -- --fresh --data '${folder}', which forgets the points of the one there`
  const requested = { environmentHash: `0x${'ab'.repeat(32)}` } as const
  const differs = await refused('PARAMETERS_DIFFER', again({ ...options, requested }))
  assert(differs.endsWith(`: use the release and the options that this swarm began with, or ${begin}`), differs)
  await changeCode(deployment.contracts.Challenges.address, METADATA + 1)
  const changed = await refused('CONTRACTS_CHANGED', again(options))
  assert(changed.endsWith(`: go back to the release that deployed it, or ${begin}`), changed)
})

test('contracts whose sources differ in comments alone are those of this release', async () => {
  const options = freshOptions()
  const { deployment } = await again(options)
  for (const { address } of Object.values(deployment.contracts)) await changeCode(address, METADATA - 20)
  assert.equal((await again(options)).sent, 0)
})

test("the coordinator's code behind its proxy is of this release, and so is the proxy", async () => {
  const options = freshOptions()
  const { deployment } = await again(options)
  const { address } = deployment.contracts.SwarmCoordinator
  const code = await coordinatorCode(deployment)
  await changeCode(code, METADATA + 1)
  assert.match(await refused('CONTRACTS_CHANGED', again(options)), /^the code on the chain of SwarmCoordinator is/)
  await changeCode(code, METADATA + 1)
  assert.equal((await again(options)).sent, 0)
  await changeCode(address, METADATA + 1)
  await refused('CONTRACTS_CHANGED', again(options))
})

test('no code, a clone of another contract and the delegation of an account are not the code of a contract', async () => {
  const options = freshOptions()
  const { deployment } = await again(options)
  const code = await coordinatorCode(deployment)
  for (const other of ['0x', `0x363d3d373d3d3d363d73${'be'.repeat(20)}5af43d82803e903d91602b57fd5bf3`]) {
    await anvil.rpc('anvil_setCode', code, other)
    await refused('CONTRACTS_CHANGED', again(options))
  }
  const { bytecode } = JSON.parse(readFileSync('deployments/bytecode.json', 'utf8'))
  for (const [name, creation] of Object.entries<string>(bytecode))
    for (const other of ['0x', '0x60016002', `0xef0100${'be'.repeat(20)}`])
      assert.equal(isCodeOf(other, creation), false, `${name} ${other}`)
})

test('each contract that journal and record both name is read once', async () => {
  const options = freshOptions()
  const { deployment } = await again(options)
  const reads: string[] = []
  await deployOn('local', anvil.url, options, request => call => {
    if (call.method === 'eth_getCode') reads.push(String((call.params as unknown[])[0]))
    return request(call)
  })
  const addresses = Object.values(deployment.contracts).map(({ address }) => address)
  assert.deepEqual(reads.sort(), [...addresses, await coordinatorCode(deployment)].sort())
})

test('a folder of a release with other ABIs is refused before its form is read', async () => {
  const options = freshOptions()
  await again(options)
  const parameters = path.join(options.journalDir, 'parameters.json')
  writeFileSync(parameters, readFileSync(parameters, 'utf8').replace(/"abi": "./, '"abi": "-'))
  writeFileSync(options.recordFile, '{}')
  assert.match(
    await refused('CONTRACTS_CHANGED', again(options)),
    /^the ABI of the deployment recorded in .*ignition is/,
  )
})
