import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Patience } from '#base/threads/silenceWatch.ts'
import { WorkerError } from '#base/threads/workerCalls.ts'
import { formatDecoderConfig } from '#model/decoder/decoderConfig.ts'
import { initWeights } from '#model/decoder/initWeights.ts'
import { tinyConfig } from '#model/decoder/tinyDecoder.ts'
import { hashWeights, writeWeights } from '#model/decoder/weights.ts'
import { openLastingPolicy, openPolicyClient, type PolicyClient } from './policyClient.ts'
import type { PolicyWorkerOptions } from './policyProtocol.ts'

const config = { ...tinyConfig, hiddenSize: 32, intermediateSize: 64 }

const request = {
  prompts: [Int32Array.of(1, 2, 3), Int32Array.of(4, 5)],
  samplesPerPrompt: 4,
  maxNewTokens: 6,
  temperature: 1,
  stopToken: 0,
  seed: 'test',
}

let folder: string

async function writeModel(name: string): Promise<string> {
  const path = join(folder, name)
  await mkdir(path)
  await writeFile(join(path, 'config.json'), JSON.stringify(formatDecoderConfig(config)))
  await writeWeights(join(path, 'model.safetensors'), initWeights(config, name), 'F32')
  return path
}

/** Generates, rewards token 7, and takes one update. */
async function learn(policy: PolicyClient, seed: string) {
  const completions = await policy.generate({ ...request, seed })
  const groups = request.prompts.map((prompt, p) => ({
    prompt,
    completions: completions
      .filter(c => c.prompt === p)
      .map(({ tokens, logprobs }, i) => ({ tokens, logprobs, reward: i === 0 ? 1 : 0 })),
  }))
  return policy.policyStep(groups, { learningRate: 1e-3 })
}

/** A client with a worker until the test ends. */
function openClient(): PolicyClient {
  const client = openPolicyClient()
  onTestFinished(client.close)
  return client
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waggle-policy-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

test('a policy is loaded, samples, learns, is saved and resumes bit for bit in another worker', async () => {
  const client = openClient()
  const model = await writeModel('policy')
  const settings = { 'tokenizer.json': '{"a": "tokenizer"}', 'generation_config.json': '{"eos_token_id": [0, 3]}' }
  for (const [name, content] of Object.entries(settings)) await writeFile(join(model, name), content)
  expect(await client.load(model)).toEqual({ weightsHash: hashWeights(initWeights(config, 'policy')), steps: 0 })
  const [policy, plain] = [await client.publish(), await client.generate(request)]
  const report = await learn(client, 'a')
  expect(report.groupsUsed).toBe(2)
  expect(await client.generatePublished({ policy, base: model }, request)).toEqual(plain)
  const saved = await client.save(join(folder, 'saved'))
  expect(saved.steps).toBe(1)
  for (const [name, content] of Object.entries(settings))
    expect(await readFile(join(folder, 'saved', name), 'utf8')).toBe(content)
  await learn(client, 'b')

  const other = openPolicyClient()
  try {
    expect(await other.load(join(folder, 'saved'))).toEqual(saved)
    await learn(other, 'b')
    expect(await other.weightsHash()).toBe(await client.weightsHash())
    await other.save(join(folder, 'saved'))
    const files = await readdir(join(folder, 'saved'))
    expect(files.filter(name => name.startsWith('optimizer-'))).toHaveLength(1)
  } finally {
    await other.close()
  }
})

test.each(['float32', 'int8'] as const)(
  'an adapter over a %s base learns, and resumes bit for bit in another worker',
  async base => {
    const model = await writeModel('policy')
    await writeFile(join(model, 'tokenizer.json'), '{"a": "tokenizer"}')
    const lora = { rank: 4, alpha: 8, targets: ['q_proj', 'down_proj'], rankStabilized: false }
    const open = () => openPolicyClient({ adapter: { lora, base } })
    const [one, other] = [open(), open()]
    try {
      const fresh = await one.load(model)
      const plain = await one.generate(request)
      const policy = await one.publish()
      expect((await learn(one, 'a')).groupsUsed).toBe(2)
      expect(await one.generate(request)).not.toEqual(plain)
      expect(await one.generatePublished({ policy, base: model }, request)).toEqual(plain)
      const saved = await one.save(join(folder, 'saved'))
      expect(saved).toMatchObject({ steps: 1 })
      expect(saved.weightsHash).not.toBe(fresh.weightsHash)
      expect(await readdir(join(folder, 'saved'))).toEqual(
        expect.arrayContaining(['adapter_config.json', 'adapter_model.safetensors', 'tokenizer.json']),
      )
      await learn(one, 'b')
      expect(await other.load(join(folder, 'saved'), model)).toEqual(saved)
      await learn(other, 'b')
      expect(await other.weightsHash()).toBe(await one.weightsHash())
      // The policy that generates is the policy that is scored.
      const [completion] = await one.generate(request)
      const prompt = request.prompts[0] as Int32Array
      const tokens = Int32Array.from([...prompt, ...(completion?.tokens ?? [])])
      const [logprobs] = await one.logprobs([{ tokens, from: prompt.length }])
      for (const [i, logprob] of (logprobs ?? []).entries())
        expect(logprob).toBeCloseTo(completion?.logprobs[i] as number, base === 'int8' ? 2 : 4)
    } finally {
      await Promise.all([one.close(), other.close()])
    }
  },
)

test('log-probabilities of a completion under the policy are those that it was sampled with, within 1e-4', async () => {
  const client = openClient()
  await client.load(await writeModel('policy'))
  const [completion] = await client.generate(request)
  const prompt = request.prompts[0] as Int32Array
  const tokens = Int32Array.from([...prompt, ...(completion?.tokens ?? [])])
  const [logprobs] = await client.logprobs([{ tokens, from: prompt.length }])
  for (const [i, logprob] of (logprobs ?? []).entries())
    expect(logprob).toBeCloseTo(completion?.logprobs[i] as number, 4)
})

test('the judge model scores, and training the policy leaves it as it is', async () => {
  const client = openClient()
  await client.load(await writeModel('policy'))
  await client.loadJudge(await writeModel('judge'))
  const sequences = [{ tokens: Int32Array.of(1, 2, 3, 4, 5), from: 2 }]
  const before = await client.score(sequences)
  expect(before[0]?.gaps).toHaveLength(3)
  await learn(client, 'a')
  expect(await client.score(sequences)).toEqual(before)
})

test('an error of the worker arrives with its code and hint, and the worker still answers', async () => {
  const client = openClient()
  await expect(client.generate(request)).rejects.toMatchObject({ code: 'TRAINER', message: 'the policy is not loaded' })
  await expect(client.load(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'MODEL_FILE' })
  await client.load(await writeModel('policy'))
  const prompts = [Int32Array.of(1, 99)]
  await expect(client.generate({ ...request, prompts })).rejects.toMatchObject({ code: 'MODEL_INPUT' })
  expect(await client.generate(request)).toHaveLength(8)
})

test('closing rejects what is under way and what comes after, and ends the worker', async () => {
  const client = openClient()
  await client.load(await writeModel('policy'))
  const long = client.generate({ ...request, samplesPerPrompt: 64, maxNewTokens: 50 })
  const refused = expect(long).rejects.toMatchObject({ code: 'POLICY_CLOSED' })
  await client.close()
  await refused
  await expect(client.weightsHash()).rejects.toMatchObject({ code: 'POLICY_CLOSED' })
})

test('the caller’s event loop is never blocked for 20 ms while the worker generates and learns', async () => {
  const client = openClient()
  await client.load(await writeModel('policy'))
  let isDone = false
  const work = learn(client, 'a').finally(() => {
    isDone = true
  })
  let [turns, longestMs] = [0, 0]
  // Time that the thread computes between two turns of its loop: what other processes take of the cores is not in it.
  let before = process.threadCpuUsage()
  while (!isDone) {
    turns++
    await new Promise(resolve => setImmediate(resolve))
    const used = process.threadCpuUsage(before)
    longestMs = Math.max(longestMs, (used.user + used.system) / 1000)
    before = process.threadCpuUsage()
  }
  await work
  expect(turns).toBeGreaterThan(20)
  expect(longestMs).toBeLessThan(20)
})

test('a worker that crashes in native code is reported, and resumes from the last checkpoint', async () => {
  const deaths: string[] = []
  const pids: number[] = []
  const lasting = openLastingPolicy({}, { crashed: error => deaths.push(error.message) }, options => {
    const opened = openPolicyClient(options)
    pids.push(opened.pid)
    return opened
  })
  // SIGSEGV from outside is to the process what one of a kernel is.
  const crash = () => process.kill(pids.at(-1) as number, 'SIGSEGV')
  try {
    await lasting.load(await writeModel('policy'))
    await lasting.loadJudge(await writeModel('judge'))
    await learn(lasting, 'a')
    const saved = await lasting.save(join(folder, 'saved'))
    const expected = await lasting.generate(request)
    await learn(lasting, 'b')
    const interrupted = lasting.generate(request)
    crash()
    expect(await interrupted).toEqual(expected)
    expect(deaths).toEqual([expect.stringContaining('SIGSEGV')])
    expect(await lasting.weightsHash()).toBe(saved.weightsHash)
    expect(await lasting.score([{ tokens: Int32Array.of(1, 2, 3), from: 1 }])).toHaveLength(1)

    const update = expect(learn(lasting, 'c')).rejects.toMatchObject({ code: 'POLICY_WORKER_ENDED', retryable: true })
    await lasting.weightsHash() // The samples are there: the update is what waits.
    crash()
    await update
    expect((await lasting.save(join(folder, 'saved'))).weightsHash).toBe(saved.weightsHash)
  } finally {
    await lasting.close()
  }
})

test('a signal to all processes of a terminal ends no worker: its client does', async () => {
  const worker = openPolicyClient()
  await expect(worker.weightsHash()).rejects.toMatchObject({ code: 'TRAINER' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.kill(worker.pid, signal)
    await expect(worker.weightsHash()).rejects.toMatchObject({ code: 'TRAINER' })
  }
  await worker.close()
})

test('calls to a worker whose death is not known yet fail as calls, and end nothing else', async () => {
  const uncaught: string[] = []
  // Vitest passes over EPIPE, and a peer ends by it.
  const note = ({ message }: Error) => void uncaught.push(message)
  process.on('uncaughtException', note)
  onTestFinished(() => void process.off('uncaughtException', note))
  const { pid, ...dead } = openPolicyClient()
  await expect(dead.weightsHash()).rejects.toMatchObject({ code: 'TRAINER' })
  process.kill(pid, 'SIGKILL')
  // Nothing of it is heard before this turn of the event loop ends.
  while (!execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z'));
  const calls = await Promise.allSettled([dead.weightsHash(), dead.publish(), dead.weightsHash()])
  const ended = { status: 'rejected', reason: { code: 'POLICY_WORKER_ENDED', retryable: true } }
  expect(calls).toMatchObject([ended, ended, ended])
  await dead.close()
  expect(uncaught).toEqual([])
})

test('a worker that cannot be started fails as one that died, and keeps nobody who closes it', async () => {
  const { execPath } = process
  onTestFinished(() => {
    process.execPath = execPath
  })
  process.execPath = join(folder, 'no node')
  const none = openPolicyClient()
  process.execPath = execPath
  await expect(none.weightsHash()).rejects.toMatchObject({ code: 'POLICY_WORKER_ENDED', retryable: true })
  await none.close()
})

test('a worker that hangs is ended and replaced, and what runs gives signs of life', async () => {
  const told: string[] = []
  const pids: number[] = []
  const never = Number.POSITIVE_INFINITY
  const state = { limitMs: never, signs: 0 }
  const patience: Patience = {
    ...{ checkEveryMs: 50, limitMs: () => state.limitMs, answered: () => {} },
    survived: () => void state.signs++,
    lost() {
      state.limitMs = never
    },
  }
  const stopLast = () => {
    // To who waits for it that is what a kernel is which never returns.
    process.kill(pids.at(-1) as number, 'SIGSTOP')
    state.limitMs = 300
  }
  const open = (options: PolicyWorkerOptions) => {
    const opened = openPolicyClient(options, undefined, patience)
    pids.push(opened.pid)
    return opened
  }
  const lasting = openLastingPolicy({}, { crashed: error => told.push(error.code) }, open, patience)
  try {
    await lasting.load(await writeModel('policy'))
    const expected = await lasting.generate(request)
    // More than the answers to the two calls.
    expect(state.signs).toBeGreaterThan(2)
    stopLast()
    expect(await lasting.generate(request)).toEqual(expected)
    expect(told).toEqual(['POLICY_WORKER_HUNG'])
    expect(() => process.kill(pids[0] as number, 0)).toThrow('ESRCH')
    // One that hangs while it is closed keeps nobody.
    stopLast()
  } finally {
    await lasting.close()
  }
})

test('a worker whose GPU fails is closed, and its successor resumes from the last checkpoint', async () => {
  const lost = new WorkerError({ message: 'device lost', code: 'ENGINE_DEVICE', hint: '', retryable: true })
  const [told, closed, loads]: [string[], number[], string[]] = [[], [], []]
  let workers = 0
  const lasting = openLastingPolicy({}, { crashed: error => told.push(error.message) }, () => {
    const number = ++workers
    return {
      load: async (path: string) => void loads.push(path),
      weightsHash: async () => (number === 1 ? Promise.reject(lost) : '0x01'),
      policyStep: async () => (number === 2 ? Promise.reject(lost) : {}),
      close: async () => void closed.push(number),
    } as unknown as PolicyClient
  })
  await lasting.load('saved')
  expect(await lasting.weightsHash()).toBe('0x01')
  // An update is not taken twice: who asked for it hears of it.
  await expect(lasting.policyStep([], { learningRate: 1 })).rejects.toMatchObject({ code: 'ENGINE_DEVICE' })
  expect(await lasting.weightsHash()).toBe('0x01')
  expect({ told, closed, loads }).toEqual({
    ...{ told: ['device lost', 'device lost'], closed: [1, 2] },
    loads: ['saved', 'saved', 'saved'],
  })
})

test('a call whose worker dies again and again fails, and the next one has a worker', async () => {
  const dead = new WorkerError({ message: 'ended', code: 'POLICY_WORKER_ENDED', hint: '', retryable: true })
  let workers = 0
  const lasting = openLastingPolicy({}, { crashed: () => {} }, () => {
    const isWell = ++workers > 3
    const weightsHash = async () => (isWell ? '0x01' : Promise.reject(dead))
    return { weightsHash, close: async () => {} } as unknown as PolicyClient
  })
  await expect(lasting.weightsHash()).rejects.toMatchObject({ code: 'POLICY_WORKER_ENDED' })
  expect(workers).toBe(4)
  expect(await lasting.weightsHash()).toBe('0x01')
})

test('a checkpoint that cannot be read once, when the worker starts again, is read at the next call', async () => {
  const dead = new WorkerError({ message: 'ended', code: 'POLICY_WORKER_ENDED', hint: '', retryable: true })
  const loads: number[] = []
  const lasting = openLastingPolicy({}, { crashed: () => {} }, () => {
    const worker = loads.push(0)
    const load = async () => {
      loads[worker - 1] = (loads[worker - 1] as number) + 1
      if (worker === 2 && loads[1] === 1) throw new Error('ENFILE: no file can be opened')
    }
    const weightsHash = async () => (worker === 1 ? Promise.reject(dead) : '0x01')
    return { load, weightsHash, close: async () => {} } as unknown as PolicyClient
  })
  await lasting.load('folder')
  await expect(lasting.weightsHash()).rejects.toThrow('ENFILE')
  expect(await lasting.weightsHash()).toBe('0x01')
  expect(loads).toEqual([1, 2])
})
