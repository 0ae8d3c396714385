import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { formatError } from '#base/errors.ts'
import type { Clock } from '#core/clock.ts'
import { createHubClient, type HubClient } from './hubClient.ts'
import { HubError } from './hubError.ts'
import { openModelFolder } from './openModelFolder.ts'
import { type PullProgress, pullModel } from './pullModel.ts'
import { pushModel } from './pushModel.ts'
import { readLimitedJson } from './readLimited.ts'
import { parseDatasetReference, parseRepoReference } from './repoReference.ts'
import { startTestHub, TEST_REPO, type TestHub } from './testHub.ts'

const scratch = await mkdtemp(join(tmpdir(), 'waggle-hub-'))
const hubs: TestHub[] = []
afterEach(() => Promise.all(hubs.splice(0).map(hub => hub.close())))
afterAll(() => rm(scratch, { recursive: true }))

const TOKEN = 'hf_secretSecretSecret'
const weights = createHash('shake256', { outputLength: 300_000 }).update('weights').digest()
const model = {
  'config.json': '{"model_type":"qwen2"}',
  'model.safetensors': weights,
  'tokenizer.json': '{}',
  'bee.png': 'no',
}
const slept: number[] = []
const clock: Clock = { nowMs: () => 0, sleep: async ms => void slept.push(ms) }
let caches = 0

async function setUp(files: Record<string, string | Buffer> = model, token: string | null = null) {
  const hub = await startTestHub(files, token)
  hubs.push(hub)
  slept.length = 0
  const cache = join(scratch, String(caches++))
  const client = (given: string | undefined = undefined) => createHubClient({ url: hub.url, token: given, clock })
  const pull = (reference = TEST_REPO, progress?: (p: PullProgress) => void) =>
    pullModel(client(), parseRepoReference(reference), cache, progress)
  return { hub, cache, client, pull }
}

const refusal = async (work: Promise<unknown>): Promise<HubError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(HubError)
  return error as HubError
}

test('A model is pulled whole, checked, without what is not a model’s, and its progress told.', async () => {
  const { pull, hub } = await setUp()
  const steps: PullProgress[] = []
  const { folder, commit, bytes } = await pull(TEST_REPO, step => steps.push(step))
  expect(commit).toBe(hub.commit)
  expect((await readdir(folder)).sort()).toEqual(['config.json', 'model.safetensors', 'tokenizer.json'])
  expect(await readFile(join(folder, 'model.safetensors'))).toEqual(weights)
  expect(steps.at(-1)).toMatchObject({ received: bytes, total: bytes })
})

test('A pulled model is not pulled again, and works offline, by branch and by commit.', async () => {
  const { pull, hub, cache } = await setUp()
  const { folder } = await pull()
  hub.seen.length = 0
  expect((await pull(`${TEST_REPO}@${hub.commit}`)).folder).toBe(folder)
  expect(hub.seen).toEqual([])
  await pull()
  expect(hub.seen.map(({ path }) => path)).toEqual([`/api/models/${TEST_REPO}/revision/main?blobs=true`])
  await hub.close()
  expect((await pull()).folder).toBe(folder)
  const other = pullModel(createHubClient({ url: hub.url, clock }), parseRepoReference('bees/other'), cache)
  expect(await refusal(other)).toMatchObject({ code: 'HUB_OFFLINE', retryable: true })
})

test('A model that is whole in the cache is opened without a write: the cache may be read-only.', async () => {
  const { pull, hub, cache } = await setUp()
  const { folder } = await pull()
  const home = join(cache, 'bees--tiny')
  // A write replaces a record, and a lock is a file.
  const files = async () =>
    Promise.all([hub.commit, 'main'].map(async name => (await stat(join(home, 'revisions', `${name}.json`))).ino))
  const before = await files()
  await rm(join(home, `${hub.commit}.lock`))
  expect((await pull()).folder).toBe(folder)
  expect(await files()).toEqual(before)
  expect((await readdir(home)).sort()).toEqual([hub.commit, 'revisions'].sort())
  await rm(join(folder, 'config.json'))
  expect((await pull()).folder).toBe(folder)
  expect(await readdir(folder)).toContain('config.json')
})

test('Files of one folder of a dataset are pulled into their own folder, and those of another folder later.', async () => {
  const { hub, cache, client } = await setUp({
    'full/test.parquet': 'PAR1',
    'full/x.py': '',
    'sanitized/a.jsonl': '{}',
  })
  const pull = (path?: string) =>
    pullModel(client(), parseDatasetReference(`${TEST_REPO}${path ? `:${path}` : ''}`), cache, () => {}, 'datasets')
  const { folder } = await pull('full')
  expect(folder).toContain('datasets--')
  expect(await readdir(folder, { recursive: true })).toEqual(['full', 'full/test.parquet'])
  await pull('sanitized/a.jsonl')
  expect(await readFile(join(folder, 'sanitized', 'a.jsonl'), 'utf8')).toBe('{}')
  expect(await refusal(pull('nothing'))).toMatchObject({ code: 'HUB_NOT_FOUND' })
  for (const path of ['../x', 'a/../b', '/etc', ''])
    expect(() => parseDatasetReference(`${TEST_REPO}:${path}`)).toThrow(HubError)
  await hub.close()
  expect((await pull('full')).folder).toBe(folder)
})

test('An empty file is created too.', async () => {
  const { cache, client } = await setUp({ 'a.jsonl': '{}', 'empty.jsonl': '' })
  const { folder } = await pullModel(client(), parseDatasetReference(TEST_REPO), cache, () => {}, 'datasets')
  expect((await readdir(folder)).sort()).toEqual(['a.jsonl', 'empty.jsonl'])
  expect(await readFile(join(folder, 'empty.jsonl'), 'utf8')).toBe('')
})

test('Two pulls into one cache at once bring the model once, whole.', async () => {
  const { pull, hub } = await setUp()
  const [one, other] = await Promise.all([pull(), pull()])
  expect(other.folder).toBe(one.folder)
  expect(await readFile(join(one.folder, 'model.safetensors'))).toEqual(weights)
  expect(hub.seen.filter(({ path }) => path.includes('/resolve/') && path.endsWith('.safetensors'))).toHaveLength(1)
})

test('A download resumes where its connection broke, in this run and in the next.', async () => {
  const { pull, hub, cache } = await setUp()
  let breaks = 2
  hub.intercept = (request, response) => {
    if (!request.url?.startsWith('/model.safetensors') || breaks-- <= 0) return false
    const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
    response.writeHead(206, { 'content-range': `bytes ${start}-299999/300000`, 'content-length': 300_000 - start })
    response.write(weights.subarray(start, start + 100_000), () => response.destroy())
    return true
  }
  const { folder } = await pull()
  expect(await readFile(join(folder, 'model.safetensors'))).toEqual(weights)
  const ranges = hub.seen.filter(({ path }) => path.startsWith('/model.safetensors')).map(({ range }) => range)
  expect(ranges).toHaveLength(3)
  expect(new Set(ranges).size).toBeGreaterThan(1)

  await rm(cache, { recursive: true })
  hub.seen.length = 0
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'model.safetensors.part'), weights.subarray(0, 250_000))
  await pull()
  expect(hub.seen.find(({ path }) => path.startsWith('/model.safetensors'))?.range).toBe('bytes=250000-')
  expect(await readFile(join(folder, 'model.safetensors'))).toEqual(weights)
})

test('A server without ranges sends it whole, and a part of something else is refused and forgotten.', async () => {
  const { pull, hub, cache } = await setUp()
  const folder = join(cache, 'bees--tiny', hub.commit)
  await mkdir(folder, { recursive: true })
  const part = join(folder, 'model.safetensors.part')
  await writeFile(part, Buffer.alloc(250_000))
  expect(await refusal(pull())).toMatchObject({ code: 'HUB_CHECKSUM' })
  expect(await readdir(folder)).not.toContain('model.safetensors.part')
  await writeFile(part, Buffer.alloc(1000))
  hub.intercept = (request, response) => {
    if (request.url?.startsWith('/model.safetensors')) response.writeHead(200).end(weights)
    return response.writableEnded
  }
  await pull()
  expect(await readFile(join(folder, 'model.safetensors'))).toEqual(weights)
})

test.each([
  ['model.safetensors', Buffer.alloc(300_000)],
  ['config.json', Buffer.from('{"model_type":"qwen3"}')],
  ['tokenizer.json', Buffer.alloc(5_000_000)],
])('Bytes of %s that are not those of the list are refused.', async (name, content) => {
  const { pull, hub, cache } = await setUp()
  hub.intercept = (request, response) => {
    if (new URL(request.url ?? '', hub.url).pathname.endsWith(`/${name}`)) response.writeHead(200).end(content)
    return response.writableEnded
  }
  expect(await refusal(pull())).toMatchObject({ code: 'HUB_CHECKSUM', message: expect.stringContaining(name) })
  expect(await readdir(join(cache, 'bees--tiny', hub.commit))).not.toContain(name)
})

const pullData = (client: HubClient, cache: string) =>
  pullModel(client, parseDatasetReference(TEST_REPO), cache, () => {}, 'datasets')

const escapes = ['a\u001b]0;owned\u0007\u001b[2J', 'a\nHUB: all files are verified', 'a\u009b2J', 'a\u202egpj']
test.each(['../x', '/etc/x', 'a/../../x', 'c:\\x', 'c:x', 'a//x', 'a\0x', ...escapes])(
  'A file named %j is refused.',
  async name => {
    const { client, cache } = await setUp({ 'a.jsonl': '{}', [`${name}.jsonl`]: '{}' })
    expect(await refusal(pullData(client(), cache))).toMatchObject({ code: 'HUB_FILE_NAME' })
  },
)

test('A name that only Windows could not have, and any name of a file that is not wanted, is none of a trick.', async () => {
  const log = 'runs/Nov29_12:00:00/events'
  const { pull, client, cache } = await setUp({ ...model, [`${log}.jsonl`]: '{}', [log]: '', '../x': '' })
  expect(await readdir((await pull()).folder)).not.toContain('runs')
  const { folder } = await pullData(client(), cache)
  expect(await readFile(join(folder, `${log}.jsonl`), 'utf8')).toBe('{}')
})

test.each<[string, (hub: TestHub) => void, object]>([
  ['an unknown revision', () => {}, { code: 'HUB_NOT_FOUND', retryable: false }],
  ['a server that is busy', hub => answer(hub, 503, ''), { code: 'HUB_BUSY', retryable: true }],
  ['an answer that is not JSON', hub => answer(hub, 200, '<html>'), { code: 'HUB_RESPONSE' }],
  ['an answer without a commit', hub => answer(hub, 200, '{"siblings":[]}'), { code: 'HUB_RESPONSE' }],
  ['a repository without weights', hub => void hub.files.delete('model.safetensors'), { code: 'HUB_NOT_FOUND' }],
  ['a redirect without end', hub => answer(hub, 302, '', { location: '/again' }), { code: 'HUB_RESPONSE' }],
  ['a redirect to no address', hub => answer(hub, 302, '', { location: 'http://[x' }), { code: 'HUB_RESPONSE' }],
])('%s is told apart', async (name, change, expected) => {
  const { pull, hub } = await setUp()
  change(hub)
  expect(await refusal(pull(name.includes('revision') ? `${TEST_REPO}@none` : TEST_REPO))).toMatchObject(expected)
})

function answer(hub: TestHub, status: number, body: string, headers = {}): void {
  hub.intercept = (_, response) => {
    response.writeHead(status, headers).end(body)
    return true
  }
}

test.each([429, 503])('A hub that answers %i for a while is asked again, later each time.', async status => {
  const { pull, hub } = await setUp()
  let busy = 2
  hub.intercept = (_, response) => {
    if (busy > 0) response.writeHead(status).end()
    return busy-- > 0
  }
  expect((await pull()).commit).toBe(hub.commit)
  expect(slept).toEqual([500, 2_000])
})

test('An answer that does not end is given up.', async () => {
  const head = new Response(new ReadableStream({ start: stream => stream.enqueue(Buffer.from('{')) }))
  expect(await refusal(readLimitedJson(head, { wholeMs: 1 }))).toMatchObject({ code: 'HUB_OFFLINE' })
})

test('An answer that is stopped half-way ends with the reason of the stop.', async () => {
  const { hub, cache } = await setUp()
  const stop = new AbortController()
  hub.intercept = (_, response) => {
    response.writeHead(200).write('{', () => setImmediate(() => stop.abort(new Error('enough'))))
    return true
  }
  const client = createHubClient({ url: hub.url, clock, signal: stop.signal })
  await expect(pullModel(client, parseRepoReference(TEST_REPO), cache)).rejects.toThrow('enough')
})

test('A folder that cannot be written is a matter of the disk.', async () => {
  const { client } = await setUp()
  await writeFile(join(scratch, 'file'), '')
  const pulling = pullModel(client(), parseRepoReference(TEST_REPO), join(scratch, 'file'))
  expect(await refusal(pulling)).toMatchObject({ code: 'HUB_DISK' })
  const { pull, cache } = await setUp()
  await mkdir(join(cache, 'bees--tiny'), { recursive: true })
  await writeFile(join(cache, 'bees--tiny', 'revisions'), '')
  expect(await refusal(pull())).toMatchObject({ code: 'HUB_DISK', message: expect.stringContaining('revisions') })
})

test('The token goes to the hub only, and into no message.', async () => {
  const { hub, cache, client } = await setUp(model, TOKEN)
  await pullModel(client(TOKEN), parseRepoReference(TEST_REPO), cache)
  const storage = hub.seen.filter(({ path }) => path.includes('X-Signature'))
  expect(storage).toHaveLength(1)
  expect(storage[0]?.token).toBeUndefined()
  for (const given of [undefined, 'hf_wrong', `${TOKEN}\n`]) {
    const error = await refusal(
      (async () => pullModel(client(given), parseRepoReference(TEST_REPO), join(cache, 'x')))(),
    )
    expect(error.code).toBe('HUB_DENIED')
    expect(`${formatError(error)} ${error.stack} ${String(error.cause)}`).not.toMatch(/hf_/)
  }
  hub.intercept = (request, response) => {
    if (request.url?.includes('X-Signature')) response.writeHead(400).end()
    return response.writableEnded
  }
  const error = await refusal(pullModel(client(TOKEN), parseRepoReference(TEST_REPO), join(cache, 'y')))
  expect(`${formatError(error)} ${error.stack}`).not.toMatch(/hf_|secret/)
})

test('A model is published as one commit with a card; optimizer states stay at home.', async () => {
  const { hub, client } = await setUp(model, TOKEN)
  const folder = join(scratch, 'trained')
  await mkdir(folder)
  for (const [name, content] of Object.entries(model)) await writeFile(join(folder, name), content)
  await writeFile(join(folder, 'optimizer-00.safetensors'), 'x')
  const options = { repo: TEST_REPO, isPrivate: true, summary: 'Round 7', baseModel: 'Qwen/Qwen2.5-0.5B' }
  const pushed = await pushModel(client(TOKEN), folder, options)
  expect(pushed.files).toEqual(['config.json', 'model.safetensors', 'tokenizer.json', 'README.md'])
  expect(hub.committed.get('model.safetensors')).toEqual(weights)
  expect(hub.committed.get('config.json')?.toString()).toBe(model['config.json'])
  expect(hub.committed.get('README.md')?.toString()).toMatch(/^---\n[\s\S]*base_model: Qwen\/Qwen2.5-0.5B[\s\S]*---\n/)
  for (const { path, token } of hub.seen) if (path.includes('sig=')) expect(token).toBeUndefined()
  expect(await refusal(pushModel(client(), folder, options))).toMatchObject({ code: 'HUB_DENIED' })
  expect(await refusal(pushModel(client(TOKEN), scratch, options))).toMatchObject({ code: 'HUB_REFERENCE' })
})

test('Each request of a push is repeated while the hub is busy.', async () => {
  const { hub, client } = await setUp(model, TOKEN)
  const folder = await mkdtemp(join(scratch, 'busy-'))
  for (const [name, content] of Object.entries(model)) await writeFile(join(folder, name), content)
  const refused = new Set<string>()
  hub.intercept = ({ method, url }, response) => {
    const asked = `${method} ${url}`
    if (refused.has(asked)) return false
    refused.add(asked)
    response.writeHead(503).end()
    return true
  }
  await pushModel(client(TOKEN), folder, { repo: TEST_REPO, isPrivate: true, summary: 'Round 7', baseModel: null })
  expect(hub.committed.get('model.safetensors')).toEqual(weights)
  // The repository, the kinds of files, the batch, two parts and their end, and the commit.
  expect(slept).toEqual(Array.from({ length: 7 }, () => 500))
})

test.each([
  ['/home/bee/models/qwen', 'Qwen/Qwen2.5-0.5B', 'Qwen/Qwen2.5-0.5B'],
  ['/home/bee/models/qwen', null, null],
  ['Qwen/Qwen3-0.6B', null, 'Qwen/Qwen3-0.6B'],
])('A published adapter names its base, and no folder of this machine: %s', async (kept, baseModel, published) => {
  const { client, hub } = await setUp({}, TOKEN)
  const folder = await mkdtemp(join(scratch, 'adapter-'))
  await writeFile(join(folder, 'adapter_model.safetensors'), weights)
  await writeFile(join(folder, 'adapter_config.json'), JSON.stringify({ r: 4, base_model_name_or_path: kept }))
  await pushModel(client(TOKEN), folder, { repo: TEST_REPO, isPrivate: false, summary: 'Round 7', baseModel })
  const config = JSON.parse(hub.committed.get('adapter_config.json')?.toString() ?? '')
  expect(config).toEqual({ r: 4, base_model_name_or_path: published })
})

test('A folder is a model as it is; what is neither a folder nor a name is refused.', async () => {
  const { client, cache } = await setUp()
  const folder = join(scratch, 'local')
  await mkdir(folder)
  expect(await refusal(openModelFolder(client(), folder, cache))).toMatchObject({ code: 'HUB_REFERENCE' })
  await writeFile(join(folder, 'config.json'), '{}')
  expect(await openModelFolder(client(), folder, cache)).toBe(folder)
  expect(await openModelFolder(client(), `${TEST_REPO}@main`, cache)).toContain(cache)
  for (const text of ['./none', 'name', 'a/b/c', '../x', 'a/b@', 'a/b@../c', 'a/b@x@y', 'a--b/c'])
    expect(await refusal(openModelFolder(client(), text, cache)), text).toMatchObject({ code: 'HUB_REFERENCE' })
})
