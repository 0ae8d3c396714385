import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { numberToHex, parseGwei } from 'viem'
import { deployOn, freshOptions, type Wrap } from './deployOn.ts'
import { type Anvil, startAnvil } from './startAnvil.ts'

let anvil: Anvil
before(async () => {
  anvil = await startAnvil(31337)
})
after(() => anvil.stop())

const HIGH_WEI = numberToHex(parseGwei('480'))
/** Changes the answer to a method. */
type Lie = (method: string, answer: unknown) => unknown

/** The fees that a deployment's first transaction offers, and why the deployment ends: that transaction is not sent on. */
async function firstOffer(lie: Lie): Promise<{ offered: object | undefined; reason: string }> {
  let [offered, reason]: [object | undefined, string] = [undefined, '']
  const liar: Wrap = request => async call => {
    if (call.method !== 'eth_sendTransaction') return lie(call.method, await request(call))
    const [{ gasPrice, maxFeePerGas, maxPriorityFeePerGas }] = call.params as [Record<string, string>]
    offered ??= maxFeePerGas === undefined ? { gasPrice } : { maxPriorityFeePerGas }
    throw new Error('not sent on')
  }
  await assert.rejects(deployOn('local', anvil.url, { ...freshOptions(), isPrebuilt: true }, liar), (error: Error) => {
    reason = error.message
    return true
  })
  return { offered, reason }
}

test('an endpoint that suggests a tip of 480 gwei gets 2', async () => {
  const lie: Lie = (method, answer) => (method === 'eth_maxPriorityFeePerGas' ? HIGH_WEI : answer)
  const { offered } = await firstOffer(lie)
  assert.deepEqual(offered, { maxPriorityFeePerGas: numberToHex(parseGwei('2')) })
})

test('an endpoint that hides the base fee does not choose the whole price', async () => {
  const { offered } = await firstOffer((method, answer) => {
    if (method !== 'eth_getBlockByNumber') return method === 'eth_gasPrice' ? HIGH_WEI : answer
    const { baseFeePerGas: _, ...block } = answer as { baseFeePerGas: string }
    return block
  })
  assert.deepEqual(offered, { gasPrice: numberToHex(parseGwei('1')) })
})

test('a deployment sends nothing while gas costs more than 500 gwei', async () => {
  const baseFeePerGas = numberToHex(parseGwei('251'))
  const { offered, reason } = await firstOffer((method, answer) =>
    method === 'eth_getBlockByNumber' ? { ...(answer as object), baseFeePerGas } : answer,
  )
  assert.equal(offered, undefined)
  assert.match(reason, /exceeds the configured limit/)
})
