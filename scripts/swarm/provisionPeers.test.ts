import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { rolloutCommitmentsAbi } from '@waggle/deployments/abi'
import { deploymentSchema } from '@waggle/deployments/record'
import { decodeFunctionData, type Hex, keccak256, parseTransaction, toHex } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { deploymentRecord } from '../../dashboard/test/fixtures/servers.ts'
import { commitFirstSecrets } from './provisionPeers.ts'

const deployment = deploymentSchema.parse(deploymentRecord)
const word = (number: number): Hex => toHex(number, { size: 32 })
const proposer = { accountKey: word(7), peerKey: word(8) }

let stop = () => {}
afterEach(() => stop())

/** An endpoint that knows the first open round and takes transactions. */
async function serveChain(firstOpenRound: number) {
  const sent: Hex[] = []
  const zero = '0x0'
  const answers: Record<string, (params: Hex[]) => unknown> = {
    eth_call: () => word(firstOpenRound),
    eth_chainId: () => toHex(deployment.chainId),
    eth_getTransactionCount: () => zero,
    eth_estimateGas: () => toHex(100_000),
    eth_maxPriorityFeePerGas: () => zero,
    eth_getBlockByNumber: () => ({
      number: '0x1',
      baseFeePerGas: '0x7',
      gasLimit: toHex(30_000_000),
      transactions: [],
    }),
    eth_sendRawTransaction: ([raw = '0x']) => {
      sent.push(raw)
      return keccak256(raw)
    },
    eth_getTransactionReceipt: ([transactionHash]) => ({
      transactionHash,
      status: '0x1',
      blockNumber: '0x1',
      logs: [],
    }),
    eth_blockNumber: () => '0x1',
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
    const result = answers[method]?.(params) ?? null
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { sent, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('before round 0 a proposer commits to its secret of round 1, so that this round has tasks', async () => {
  const { url, sent } = await serveChain(0)
  await commitFirstSecrets(url, deployment, [proposer])
  expect(sent).toHaveLength(1)
  const { data = '0x', to } = parseTransaction(sent[0] ?? '0x')
  expect(to?.toLowerCase()).toBe(deployment.contracts.RolloutCommitments.address.toLowerCase())
  const { functionName, args } = decodeFunctionData({ abi: rolloutCommitmentsAbi, data })
  expect(functionName).toBe('commitSecret')
  expect(args?.slice(0, 2)).toEqual([1n, proposer.peerKey])
})

test('once round 0 has begun it is left to the proposers', async () => {
  const { url, sent } = await serveChain(1)
  await commitFirstSecrets(url, deployment, [proposer])
  expect(sent).toEqual([])
})
