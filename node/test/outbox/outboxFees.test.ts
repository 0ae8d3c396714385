import { expect, test } from 'vitest'
import { createOutbox } from '#chain/outbox/outbox.ts'
import { intent, page, setup } from './outboxScene.ts'

test('a stuck transaction is signed again under its nonce with a higher fee, and mined once', async () => {
  const { chain, outbox, settle, store } = setup({ stuckBlocks: 2, rebroadcastBlocks: 1 })
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  chain.setBaseFee(240n)
  await settle(6)
  const attempts = store.get('0x01')?.attempts ?? []
  expect(attempts.length).toBeGreaterThan(1)
  expect(new Set(attempts.map(({ nonce }) => nonce)).size).toBe(1)
  expect(chain.executed()).toEqual(['0x01'])
})

test('one wrong estimate of gas delays a call, and holds up none after it', async () => {
  const { chain, modules } = setup()
  let lies = true
  const simulate: typeof chain.rpc.simulate = async call => (lies ? { gas: 2n ** 60n } : chain.rpc.simulate(call))
  const outbox = createOutbox({ ...modules, rpc: { ...chain.rpc, simulate } }, { confirmations: 3 })
  for (const data of ['0x01', '0x02'] as const) outbox.enqueue(intent(data))
  await outbox.tick()
  lies = false
  for (let block = 0; block < 8; block++) {
    await outbox.tick()
    chain.mine()
  }
  expect(chain.executed()).toEqual(['0x01', '0x02'])
})

/** Cost of a call of the fake chain at its first bid: 50,000 gas at twice the base fee. */
const CALL_WEI = 50_000n * 200n
const GWEI = 10n ** 9n

/** One call in each of some rounds of twelve blocks. */
async function playRounds({ chain, outbox }: Pick<ReturnType<typeof setup>, 'chain' | 'outbox'>, rounds: number[]) {
  for (const round of rounds) {
    chain.setRound(round)
    outbox.enqueue({ ...intent(`0x${10 + round}`, { from: round, through: round }) })
    for (let block = 0; block < 12; block++) {
      await outbox.tick()
      chain.mine()
    }
  }
}

/** The highest fee that was signed. */
const highestBid = ({ store }: Pick<ReturnType<typeof setup>, 'store'>, rounds: number[]) =>
  Math.max(
    ...rounds.flatMap(round => store.get(`0x${10 + round}`)?.attempts ?? []).map(one => Number(one.maxFeePerGasWei)),
  )

test('an account without funds signs nothing, says so once, and resumes with what one call costs', async () => {
  const scene = setup()
  const { chain, modules, store } = scene
  const warned: string[] = []
  const logger = { ...modules.logger, warn: (line: string) => void warned.push(line) }
  const outbox = createOutbox({ ...modules, logger }, { confirmations: 3 })
  chain.setBalance(0n)
  await playRounds({ chain, outbox }, [1, 2, 3, 4, 5])
  expect(store.get('0x15')?.attempts).toEqual([])
  expect(warned).toEqual(['the account cannot pay; send it funds'])
  chain.setBalance(CALL_WEI)
  await playRounds({ chain, outbox }, [6])
  expect(chain.executed()).toEqual(['0x16'])
  expect(highestBid(scene, [6])).toBe(200)
})

test('a call that costs more than the account has holds up none that costs less', async () => {
  const { chain, modules, status } = setup()
  const simulate: typeof chain.rpc.simulate = async ({ data }) => ({ gas: data === '0x01' ? 100_000n : 50_000n })
  const outbox = createOutbox({ ...modules, rpc: { ...chain.rpc, simulate } })
  chain.setBalance(CALL_WEI)
  for (const data of ['0x01', '0x02'] as const) outbox.enqueue(intent(data))
  await outbox.tick()
  chain.mine()
  expect(chain.executed()).toEqual(['0x02'])
  expect(status('0x01')).toBe('queued')
})

test('an account that was empty and is filled up pays its most urgent call first', async () => {
  const { chain, modules, outbox, settle } = setup()
  chain.setBalance(0n)
  let simulated = 0
  const { simulate } = chain.rpc
  modules.rpc.simulate = call => {
    simulated += 1
    return simulate(call)
  }
  outbox.enqueue(intent('0x99', { through: 0 }))
  for (let call = 0; call < 20; call++) outbox.enqueue(intent(`0x${10 + call}`, { through: 3 }))
  await settle(1)
  // Two steps: an account that can pay nothing is asked for one call.
  expect(simulated).toBe(2)
  chain.setBalance(CALL_WEI)
  chain.mine()
  await settle(1)
  expect(chain.executed()).toEqual(['0x99'])
})

test('of calls that go out together, those that the account cannot pay with the others wait, without being signed', async () => {
  const { chain, modules, outbox, store, settle } = setup()
  let [refused, readings] = [0, 0]
  const { send, balance } = chain.rpc
  modules.rpc.send = async raw => {
    const outcome = await send(raw)
    if (outcome === 'no funds') refused += 1
    return outcome
  }
  modules.rpc.balance = () => {
    readings += 1
    return balance()
  }
  const signed = () => store.live().filter(({ status }) => status === 'signed').length
  chain.setBalance(3n * CALL_WEI)
  for (let shard = 0; shard < 16; shard++) outbox.enqueue(page(shard, { through: 2 }))
  await outbox.tick()
  expect([signed(), chain.poolSize(), refused, readings]).toEqual([3, 3, 0, 1])
  outbox.enqueue(intent('0x99', { through: 0 }))
  chain.mine()
  await settle(1)
  expect(chain.executed().at(3)).toBe('0x99')
  // These exceed what earlier bids left, and not the balance without what was signed in this block.
  chain.setBalance(14n * CALL_WEI)
  await settle(2)
  expect(chain.executed()).toHaveLength(17)
  expect(refused).toBe(0)
})

test('a refusal for lack of funds, such as those for the data of a rollup, raises no fee', async () => {
  const scene = setup()
  const { chain, modules } = scene
  const { send } = chain.rpc
  modules.rpc.send = async () => 'no funds'
  await playRounds(scene, [1, 2, 3, 4, 5])
  expect(highestBid(scene, [1, 2, 3, 4, 5])).toBe(200)
  modules.rpc.send = send
  await playRounds(scene, [6])
  expect(chain.executed()).toEqual(['0x16'])
  expect(highestBid(scene, [6])).toBe(200)
})

test('a pool that forwards nothing raises a fee to ten times the suggestion at most, its tip only with it, and to no more than can be paid', async () => {
  const scene = setup({ stuckBlocks: 2 })
  const { chain, modules, store } = scene
  modules.rpc.fees = async () => ({ maxFeePerGasWei: 200n, maxPriorityFeePerGasWei: 10n })
  const { mine } = chain
  chain.mine = () => {
    chain.forgetPool()
    mine()
  }
  await playRounds(scene, [1, 2, 3, 4, 5])
  expect(highestBid(scene, [1])).toBeGreaterThan(400)
  expect(highestBid(scene, [1, 2, 3, 4, 5])).toBe(2_000)
  await playRounds(scene, [6, 7, 8])
  const tips = [1, 2, 3, 4, 5, 6, 7, 8].flatMap(round => store.get(`0x${10 + round}`)?.attempts ?? [])
  expect(Math.max(...tips.map(({ maxPriorityFeePerGasWei }) => Number(maxPriorityFeePerGasWei)))).toBe(116)
  chain.mine = mine
  chain.setBalance(CALL_WEI)
  await playRounds(scene, [9])
  expect(chain.executed()).toEqual(['0x19'])
})

test('a call that a pool dropped for ten raises is raised again once blocks cost more than that', async () => {
  const { chain, outbox, store } = setup({ stuckBlocks: 2 })
  outbox.enqueue(intent('0x01'))
  for (let block = 0; block < 40; block++) {
    await outbox.tick()
    chain.forgetPool()
    chain.mine()
  }
  chain.setBaseFee(2_000n)
  for (let block = 0; block < 4; block++) {
    await outbox.tick()
    chain.mine()
  }
  const bids = store.get('0x01')?.attempts.map(({ maxFeePerGasWei }) => maxFeePerGasWei) ?? []
  expect(bids.slice(-2)).toEqual([1_886n, 4_000n])
  expect(chain.executed()).toEqual(['0x01'])
})

test('an endpoint that refuses every attempt gets one for each tenth that the price moves', async () => {
  const { chain, modules, outbox, store } = setup()
  modules.rpc.send = async () => ({ refused: 'exceeds block gas limit' })
  outbox.enqueue(intent('0x01'))
  const bids = async (baseFees: number[]) => {
    for (const fee of baseFees) {
      chain.setBaseFee(BigInt(fee))
      await outbox.tick()
      chain.mine()
    }
    return store.get('0x01')?.attempts.map(({ maxFeePerGasWei }) => Number(maxFeePerGasWei)) ?? []
  }
  const moves = Array.from({ length: 60 }, (_, block) => 1_000 + 10 * block)
  const made = await bids(moves)
  expect(made).toEqual([2_000, 2_200, 2_440, 2_720, 3_000])
  expect(await bids([900, 900])).toEqual([...made, 1_800])
  expect(await bids(moves)).toHaveLength(6)
})

test.each(['running', 'restarted'])(
  'a call that an endpoint refused in a spike of the price goes out after it, by an outbox that is %s',
  async state => {
    const { chain, modules, outbox, start, store } = setup()
    const { send } = chain.rpc
    modules.rpc.send = async raw => {
      const { gas, fee } = JSON.parse(Buffer.from(raw.slice(2), 'hex').toString())
      return gas * fee > 50_000 * 400 ? { refused: 'Transaction fee cap exceeded' } : send(raw)
    }
    outbox.enqueue(intent('0x01'))
    for (let block = 0; block < 40; block++) {
      chain.setBaseFee(BigInt(1_000 + block))
      await outbox.tick()
      chain.mine()
    }
    expect(store.get('0x01')?.attempts).toHaveLength(1)
    chain.setBaseFee(100n)
    const after = state === 'running' ? outbox : start()
    after.enqueue(intent('0x02'))
    for (let block = 0; block < 6; block++) {
      await after.tick()
      chain.mine()
    }
    expect(chain.executed()).toEqual(['0x01', '0x02'])
  },
)

test('a call whose raise an endpoint refuses goes out at the price of now once the pool has lost it', async () => {
  const { chain, modules, outbox, settle, store } = setup({ stuckBlocks: 2 })
  const { send } = chain.rpc
  modules.rpc.send = async raw => {
    const { gas, fee } = JSON.parse(Buffer.from(raw.slice(2), 'hex').toString())
    return gas * fee > 50_000 * 2_000 ? { refused: 'Transaction fee cap exceeded' } : send(raw)
  }
  chain.setBaseFee(1_000n)
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  chain.setBaseFee(3_000n)
  await settle(6)
  chain.forgetPool()
  chain.setBaseFee(400n)
  await settle(6)
  expect(store.get('0x01')?.attempts.at(-1)?.maxFeePerGasWei).toBe(800n)
  expect(chain.executed()).toEqual(['0x01'])
})

test('a call that a pool keeps, and whose raise an endpoint refuses, has no attempts without end', async () => {
  const { chain, modules, outbox, store } = setup()
  const { send } = chain.rpc
  modules.rpc.send = async raw => {
    const { gas, fee } = JSON.parse(Buffer.from(raw.slice(2), 'hex').toString())
    return gas * fee > 50_000 * 10_000 ? { refused: 'tx fee exceeds the configured cap' } : send(raw)
  }
  outbox.enqueue(intent('0x01'))
  for (let block = 0; block < 400; block++) {
    await outbox.tick()
    chain.setBaseFee(10n ** 12n)
    chain.mine()
    chain.setBaseFee(1_000n + BigInt(Math.round(250 * Math.sin(block / 9))))
  }
  expect(store.get('0x01')?.attempts.length).toBeLessThan(30)
  chain.mine()
  expect(chain.executed()).toEqual(['0x01'])
})

test('an account whose journal has unpayable attempts of an older version pays the price of now', async () => {
  const { chain, outbox, settle, store } = setup()
  chain.setBalance(CALL_WEI)
  for (const [key, through] of [
    ['0x01', 0],
    ['0x02', null],
  ] as const) {
    const { id } = store.insert({ ...intent(key), throughRound: through })
    for (let fee = 200n * GWEI; fee <= 500n * GWEI; fee += 100n * GWEI) {
      const unsigned = { ...intent(key), nonce: 0, gas: 50_000n }
      const fees = { maxFeePerGasWei: fee, maxPriorityFeePerGasWei: 16n * GWEI }
      store.addAttempt(id, {
        ...(await chain.rpc.sign({ ...unsigned, ...fees })),
        ...fees,
        nonce: 0,
        gas: 50_000n,
        signedAtMs: 1,
      })
    }
    if (through !== null) store.setStatus(id, 'dropped', 'round passed')
  }
  outbox.enqueue(intent('0x03'))
  await settle(6)
  expect(chain.executed()).toEqual(['0x02', '0x03'])
  expect(['0x02', '0x03'].map(key => store.get(key)?.attempts.at(-1)?.maxFeePerGasWei)).toEqual([200n, 200n])
})

test('a replacement that the account can no longer pay is undone, in a pool that has lost both', async () => {
  const { chain, settle, outbox, store } = setup({ stuckBlocks: 2 })
  outbox.enqueue(intent('0x01'))
  await outbox.tick()
  chain.setBaseFee(240n)
  for (let block = 0; block < 2; block++) {
    chain.mine()
    await outbox.tick()
  }
  const bids = () => store.get('0x01')?.attempts.map(({ maxFeePerGasWei }) => maxFeePerGasWei)
  expect(bids()).toEqual([200n, 480n])
  chain.forgetPool()
  chain.setBaseFee(100n)
  chain.setBalance(CALL_WEI)
  await settle(6)
  expect(bids()?.at(-1)).toBe(200n)
  expect(chain.executed()).toEqual(['0x01'])
})

test('after a restart, a call outbids what the pool has of a dropped one, by its answers', async () => {
  const { chain, outbox, start, store } = setup()
  outbox.enqueue(intent('0x01', { through: 0 }))
  await outbox.tick()
  chain.setBaseFee(201n)
  chain.setRound(1)
  for (let block = 0; block < 3; block++) {
    await outbox.tick()
    chain.mine()
  }
  expect(store.get('0x01')?.status).toBe('dropped')
  chain.setBaseFee(100n)
  const restarted = start()
  restarted.enqueue(intent('0x02'))
  for (let block = 0; block < 2; block++) await restarted.tick()
  chain.mine()
  expect(store.get('0x02')?.attempts.map(({ maxFeePerGasWei }) => maxFeePerGasWei)).toEqual([200n, 251n])
  expect(chain.executed()).toEqual(['0x02'])
})

test('no transaction pays more than the cap, whatever the endpoint asks for, and it goes out when blocks are cheaper', async () => {
  const { chain, outbox, settle, store } = setup({ stuckBlocks: 2, maxFeePerGasWei: 300n })
  chain.setBaseFee(1_000_000n)
  outbox.enqueue(intent('0x01'))
  await settle(8)
  expect(chain.executed()).toEqual([])
  expect(store.get('0x01')?.attempts.map(({ maxFeePerGasWei }) => maxFeePerGasWei)).toEqual([300n])
  chain.setBaseFee(200n)
  await settle(2)
  expect(chain.executed()).toEqual(['0x01'])
})

test('a suggested tip is followed up to an eighth of the most that is paid, replacements stay below that, and the log says once if that is too little', async () => {
  const { chain, modules, store } = setup()
  const fees = async () => ({ maxFeePerGasWei: 490n * GWEI, maxPriorityFeePerGasWei: 480n * GWEI })
  const send = async () => 'underpriced' as const
  const lines: string[] = []
  const logger = { ...modules.logger, warn: (line: string) => void lines.push(line) }
  const outbox = createOutbox({ ...modules, logger, rpc: { ...chain.rpc, fees, send } }, { stuckBlocks: 1 })
  outbox.enqueue(intent('0x01'))
  for (let block = 0; block < 40; block++) {
    await outbox.tick()
    chain.mine()
  }
  expect(lines).toEqual(['a pool asks for more than this peer pays; the transaction waits'])
  const attempts = store.get('0x01')?.attempts ?? []
  expect(attempts[0]).toMatchObject({ maxFeePerGasWei: 12n * GWEI, maxPriorityFeePerGasWei: 2n * GWEI })
  expect(attempts.length).toBeGreaterThan(5)
  for (const { maxFeePerGasWei, maxPriorityFeePerGasWei } of attempts) {
    expect(maxPriorityFeePerGasWei).toBeLessThanOrEqual(16n * GWEI)
    expect(maxPriorityFeePerGasWei).toBeLessThanOrEqual(maxFeePerGasWei)
  }
})
