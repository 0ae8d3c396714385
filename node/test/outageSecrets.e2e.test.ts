import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadEnvironments } from '#environments/builtIn.ts'
import { openIdentity } from '#store/identity.ts'
import { freePort } from '../../scripts/base/freePorts.ts'
import { runCli, startCli } from './cliProcess.ts'
import { deployContracts, startLocalChain } from './localChain.ts'

const KEYS = ['us3r-of-the-operator', 'passw0rd-0f-it', 'k3y-in-the-path', 'k3y-in-the-query'] as const
const [user, password, inPath, inQuery] = KEYS
/** As the header of basic authentication has it. */
const basic = Buffer.from(`${user}:${password}`).toString('base64')

/** An endpoint before a chain's, which can fail, and then quotes all that it was asked with, as those of providers do. */
async function startEndpoint(rpcUrl: string) {
  let isOut = false
  let failures = 0
  const quote = ({ url, headers }: IncomingMessage) => `${url} ${headers.authorization} ${KEYS.join(' ')}`
  const refuse = (request: IncomingMessage, response: ServerResponse) => {
    const message = `no project ${quote(request)} at http://${user}:${password}@127.0.0.1${request.url}`
    const error = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32_603, message } })
    failures += 1
    if (failures % 3 === 0) request.socket.destroy()
    else response.writeHead(failures % 3 === 1 ? 200 : 429).end(error)
  }
  const server = createServer((request, response) => {
    if (isOut) return refuse(request, response)
    const asked = requestHttp(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' } }, answer => {
      response.writeHead(answer.statusCode ?? 500)
      answer.pipe(response)
    })
    request.pipe(asked.on('error', () => response.destroy()))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${user}:${password}@127.0.0.1:${port}/v2/${inPath}?token=${inQuery}`,
    fail: (out: boolean) => {
      isOut = out
    },
  }
}

/** Bytes of each file of a folder. */
function filesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
}

test('no key of an endpoint is in anything that a peer says or keeps, through an outage in which the endpoint quotes them', async () => {
  const local = await startLocalChain()
  onTestFinished(() => local.stop())
  const deployment = await deployContracts(local, 100_000, (await loadEnvironments()).starter.hash)
  const endpoint = await startEndpoint(local.rpcUrl)
  const root = mkdtempSync(join(tmpdir(), 'waggle-keys-'))
  const [data, record] = [join(root, 'peer'), join(root, 'deployment.json')]
  writeFileSync(record, JSON.stringify(deployment))
  await local.fund((await openIdentity(data)).address)
  const flags = ['--data', data, '--deployment', record]
  const env = { WAGGLE_RPC_URL: endpoint.url }
  const port = String(await freePort())
  const options = ['--http', port, '--metrics-port', '0', '--log-file', '--log-level', 'debug']
  const peer = startCli(['start', '--role', 'gateway', '--listen', '/ip4/127.0.0.1/tcp/0', ...options, ...flags], env)
  onTestFinished(async () => void (await peer.kill()))
  await peer.said('started')
  const metrics = /http:\S+/.exec(await peer.line('metrics url='))?.[0] ?? ''
  endpoint.fail(true)
  await peer.said('waiting for the chain')
  const pageOf = async (url: string) => (await fetch(url)).text()
  // It waits for the chain, as long as a connection may be idle.
  const late = pageOf(`http://127.0.0.1:${port}/v1/status`).catch(error => `${error} ${error.cause}`)
  const answers = await Promise.all([metrics, metrics.replace('metrics', 'ready')].map(pageOf))
  const said = await Promise.all([['status', '--json'], ['doctor']].map(argv => runCli([...argv, ...flags], env)))
  endpoint.fail(false)
  await peer.said('the chain answers again')
  answers.push(await late)
  const ended = await peer.stop()
  const shown = [...answers, ...[...said, ended].flatMap(({ stdout, stderr }) => [stdout, stderr]), ...filesIn(root)]
  expect(shown.join('\n')).toContain('waggle_rpc_errors_total')
  expect(said.map(({ code }) => code)).toEqual([75, 1])
  for (const secret of [...KEYS, basic]) expect(shown.filter(text => text.includes(secret))).toEqual([])
})
