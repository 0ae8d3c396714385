import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { contractNames } from '../../deployments/contractNames.ts'
import { knownNetworks } from '../../deployments/networks.ts'
import config from '../../hardhat.config.ts'
import { deployProtocol } from '../../scripts/deploy/deployProtocol.ts'
import { LOCAL_KEY } from '../../scripts/deploy/networks.ts'
import { freshDir, presets } from './deployOn.ts'
import { type Anvil, startAnvil } from './startAnvil.ts'

const ROOT = path.resolve(import.meta.dirname, '..', '..')
const { chainId, explorerUrl } = knownNetworks.gensynTestnet
let anvil: Anvil
let sourcify: Server
/** Submitted contracts, by address, with the number of their source files. */
const submitted = new Map<string, { name: string; files: number }>()

before(async () => {
  anvil = await startAnvil(chainId, '--block-time', '0.1')
  sourcify = createServer(async (request, response) => {
    const [status, body] = await answer(request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>(resolve => sourcify.listen(0, '127.0.0.1', resolve))
})

after(async () => {
  await anvil.stop()
  sourcify.close()
})

/** Version 2 of Sourcify's API, before any contract is verified; it believes every source. */
async function answer(request: IncomingMessage): Promise<[number, unknown]> {
  const [, , what, ...rest] = (request.url ?? '').split('/')
  if (request.method === 'POST') {
    const { contractIdentifier, stdJsonInput } = JSON.parse(await textOf(request))
    const name = contractIdentifier.split(':').at(-1)
    submitted.set(rest[1] ?? '', { name, files: Object.keys(stdJsonInput.sources).length })
    return [202, { verificationId: 'id' }]
  }
  if (what === 'verify')
    return [200, { isJobCompleted: true, verificationId: 'id', jobStartTime: '', contract: { match: 'exact_match' } }]
  return [404, { match: null, creationMatch: null, runtimeMatch: null, chainId: rest[0], address: rest[1] }]
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

test('the sources of every contract of a deployment are verified without a key for an explorer', async t => {
  const [network, ignition] = ['gensynTestnet', freshDir()]
  const apiUrl = `http://127.0.0.1:${(sourcify.address() as AddressInfo).port}`
  const hre = await createHardhatRuntimeEnvironment(
    {
      ...config,
      networks: { [network]: { type: 'http', chainId, url: anvil.url, accounts: [LOCAL_KEY] } },
      paths: { ...config.paths, ignition },
      verify: { ...config.verify, sourcify: { apiUrl }, blockscout: { enabled: false } },
    },
    { network },
    ROOT,
  )
  const connection = await hre.network.create({ network })
  const places = {
    journalDir: path.join(ignition, 'deployments', network),
    recordFile: path.join(ignition, 'record.json'),
  }
  t.mock.method(console, 'log', () => {})
  const { deployment } = await deployProtocol(hre, connection, { ...places, requested: {}, say: () => {} }, presets)
  await hre.tasks.getTask(['ignition', 'verify']).run({ deploymentId: network, force: false })
  await connection.close()
  assert.equal(process.exitCode, undefined)

  for (const name of contractNames) {
    const { address } = deployment.contracts[name]
    const found = submitted.get(address)
    // Behind a proxy, whose code is a contract more.
    assert.equal(found?.name, name === 'SwarmCoordinator' ? 'ERC1967Proxy' : name)
    assert(found.files > 0)
  }
  assert.equal(submitted.size, contractNames.length + 1)
})

test("a network that Hardhat does not know has its explorer's API in the configuration", () => {
  assert.deepEqual(config.chainDescriptors?.[chainId]?.blockExplorers?.blockscout, {
    url: explorerUrl,
    apiUrl: `${explorerUrl}/api`,
  })
})
