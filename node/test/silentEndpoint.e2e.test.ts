import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { systemClock } from '#core/clock.ts'
import { createPatience } from '#core/patience.ts'
import { openAccountSession } from '#roles/accountSession.ts'
import { openIdentity } from '#store/identity.ts'
import { runCli } from './cliProcess.ts'
import { type Call, type FaultName, startHostileEndpoint } from './hostileEndpoint.ts'
import { deployContracts, type LocalChain, startLocalChain } from './localChain.ts'

const PATIENCE_SEC = 1

let chain: LocalChain
let deployment: Awaited<ReturnType<typeof deployContracts>>
let record: string
const root = mkdtempSync(join(tmpdir(), 'waggle-silent-'))

beforeAll(async () => {
  chain = await startLocalChain({ blockTimeSec: 1 })
  deployment = await deployContracts(chain, 40)
  record = join(root, 'deployment.json')
  writeFileSync(record, JSON.stringify(deployment))
})

afterAll(() => chain.stop())

test.concurrent.each(['doctor', 'join'])(
  '%s loses patience with a silent endpoint, and says so in one line',
  async command => {
    await using endpoint = await startHostileEndpoint(chain.rpcUrl)
    endpoint.fail('silence')
    const env = { WAGGLE_RPC_URL: endpoint.url, WAGGLE_DEPLOYMENT: record, WAGGLE_PATIENCE: `${PATIENCE_SEC}` }
    const { code, stdout, stderr } = await runCli([command, '--data', join(root, command)], env)
    const said = command === 'doctor' ? stdout : stderr
    expect(said.match(/answers too slowly: waiting for it took more than 1 s/g)).toHaveLength(1)
    expect(code).toBe(command === 'doctor' ? 1 : 75)
  },
)

/** A sponsor that accepts connections; `asked` is called with each request, which only it may answer. */
async function startSponsor(asked: (response: ServerResponse) => void = () => {}) {
  const server = createServer((_, response) => asked(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function startSponsored(name: string, rpcUrl: string, sponsor: string) {
  const env = { WAGGLE_RPC_URL: rpcUrl, WAGGLE_DEPLOYMENT: record, WAGGLE_PATIENCE: `${PATIENCE_SEC}` }
  const { code, stderr } = await runCli(
    ['start', '--role', 'solver', '--data', join(root, name), '--sponsor', sponsor],
    env,
  )
  return { code, said: stderr.match(/.*answers too slowly: waiting for it took more than 1 s\..*/g) }
}

test.concurrent('a peer without funds loses patience with a silent sponsor', async ({ expect }) => {
  await using sponsor = await startSponsor()
  const { code, said } = await startSponsored('unpaid', chain.rpcUrl, sponsor.url)
  expect(said).toEqual([expect.stringContaining(sponsor.url)])
  expect(said?.[0]).toContain('[SPONSOR]')
  expect(code).toBe(75)
})

test.concurrent.each(['before', 'while'])(
  'a peer without funds loses patience with an endpoint that is silent %s its sponsor pays',
  async when => {
    await using endpoint = await startHostileEndpoint(chain.rpcUrl)
    if (when === 'before') endpoint.fail('silence')
    await using sponsor = await startSponsor(response => {
      endpoint.fail('silence')
      response.writeHead(202).end(JSON.stringify({ status: 'sending' }))
    })
    const { code, said } = await startSponsored(when, endpoint.url, sponsor.url)
    expect(said).toHaveLength(1)
    expect(code).toBe(75)
  },
)

test.concurrent.each<FaultName>(['silence', 'a closed connection'])(
  'a call that the endpoint does not take ends with one error, and is kept: %s',
  async fault => {
    await using endpoint = await startHostileEndpoint(chain.rpcUrl)
    const data = join(root, fault)
    const identity = await openIdentity(data)
    await chain.fund(identity.address)
    const onContinue = vi.fn()
    const open = (rpcUrl: string) =>
      openAccountSession({
        ...{ data, deployment, rpcUrl, identity, onContinue },
        patience: createPatience(PATIENCE_SEC * 1_000, systemClock, () => {}),
      })
    const [first, repeated, other] = [0, 1, 2].map(() => `gift:${randomUUID()}`) as [string, string, string]
    const call = { key: first, to: identity.address, data: '0x', fromRound: null, throughRound: null } as const
    const session = await open(endpoint.url)
    endpoint.fail(fault, ({ method }: Call) => method === 'eth_sendRawTransaction')
    await expect(session.send(call)).rejects.toMatchObject({ code: 'CALL_PENDING', retryable: true })
    await session.close()
    // A repeated command has another key.
    const again = await open(chain.rpcUrl)
    const [continued, second] = [
      await again.send({ ...call, key: repeated }),
      await again.send({ ...call, key: other }),
    ]
    expect(continued).toMatchObject({ status: 'mined' })
    expect(second.hash).not.toBe(continued.hash)
    expect([first, repeated, other].map(again.knows)).toEqual([true, false, true])
    expect(onContinue).toHaveBeenCalledOnce()
    expect(await chain.client.getTransactionCount({ address: identity.address })).toBe(2)
    await again.close()
  },
)
