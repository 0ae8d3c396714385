import { createHash } from 'node:crypto'
import { createReadStream, openAsBlob } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { HubClient } from './hubClient.ts'
import { HubError } from './hubError.ts'
import { type LfsObject, uploadLfs } from './lfsUpload.ts'
import { modelCard } from './modelCard.ts'
import { patientClient } from './patiently.ts'
import { readLimitedJson } from './readLimited.ts'
import { isRepoName } from './repoReference.ts'

type PushOptions = {
  /** OWNER/NAME; created if it does not exist. */
  readonly repo: string
  readonly isPrivate: boolean
  /** First line of the commit's message. */
  readonly summary: string
  /** Model that the weights were trained from, OWNER/NAME, for the card; null if unknown. */
  readonly baseModel: string | null
  /** Markdown about the model's origin, at the end of the card. */
  readonly provenance?: string
}

type PushedModel = {
  readonly repo: string
  readonly commit: string
  readonly url: string
  readonly files: string[]
}

/** Published files of a folder: a model or an adapter with its tokenizer, without optimizer states. */
const PUBLISHED =
  /^(config|generation_config|tokenizer|tokenizer_config|special_tokens_map|adapter_config|model\.safetensors\.index)\.json$|^chat_template\.jinja$|^(model|model-\d{5}-of-\d{5}|adapter_model)\.safetensors$|^README\.md$|^LICENSE$/

/** Whether a file of a model's folder is published. */
export const isPublished = (name: string): boolean => PUBLISHED.test(name)

const ADAPTER_CONFIG = 'adapter_config.json'

/** Sent for the hub to tell text from binary. */
const SAMPLE_BYTES = 512

const preuploadSchema = z.looseObject({
  files: z.array(z.looseObject({ path: z.string(), uploadMode: z.enum(['lfs', 'regular']) })),
})
const commitSchema = z.looseObject({ commitOid: z.string().regex(/^[0-9a-f]{40}$/), commitUrl: z.string() })

type LocalFile = LfsObject & { readonly path: string; readonly sample: string; readonly content: Blob }

/**
 * Publishes a model's or an adapter's folder as one commit to the main branch. A folder without README.md gets a model card.
 *
 * @throws {HubError} if the token lacks the right, or the hub is unreachable; a repeated call sends only what is missing.
 */
export async function pushModel(hub: HubClient, folder: string, options: PushOptions): Promise<PushedModel> {
  const client = patientClient(hub)
  const { repo } = options
  if (!isRepoName(repo)) throw new HubError('HUB_REFERENCE', `'${repo.slice(0, 100)}' is not the name of a repository.`)
  const files = await localFiles(folder, options)
  await createRepo(client, options)
  const modes = await uploadModes(client, repo, files)
  const large = files.filter(({ path }) => modes.get(path) === 'lfs')
  await uploadLfs(client, repo, large)
  const header = { key: 'header', value: { summary: options.summary, description: '' } }
  const entries = await Promise.all(
    files.map(async ({ path, oid, size, content }) =>
      modes.get(path) === 'lfs'
        ? { key: 'lfsFile', value: { path, algo: 'sha256', oid, size } }
        : {
            key: 'file',
            value: { path, encoding: 'base64', content: Buffer.from(await content.arrayBuffer()).toString('base64') },
          },
    ),
  )
  const answer = await client.send(`api/models/${repo}/commit/main`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: [header, ...entries].map(line => JSON.stringify(line)).join('\n'),
  })
  const { commitOid, commitUrl } = understood(commitSchema, await readLimitedJson(answer, client), 'the commit')
  return { repo, commit: commitOid, url: commitUrl, files: files.map(({ path }) => path) }
}

async function localFiles(folder: string, options: PushOptions): Promise<LocalFile[]> {
  const names = (await readdir(folder).catch(() => [])).filter(isPublished).sort()
  if (!names.some(name => name.endsWith('.safetensors')))
    throw new HubError('HUB_REFERENCE', `${folder} contains no model and no adapter.`)
  const files = await Promise.all(
    names.map(async name => {
      const path = join(folder, name)
      return name === ADAPTER_CONFIG
        ? localFile(name, new Blob([await publicAdapterConfig(path, options)]), null)
        : localFile(name, await openAsBlob(path), path)
    }),
  )
  if (names.includes('README.md')) return files
  const config = await readConfig(folder)
  const card = new Blob([modelCard({ ...options, isAdapter: names.includes(ADAPTER_CONFIG), config })])
  return [...files, await localFile('README.md', card, null)]
}

/** Parsed config.json, for the card; undefined if there is none. */
async function readConfig(folder: string): Promise<unknown> {
  const path = join(folder, 'config.json')
  return parseJson(path, await readFile(path, 'utf8').catch(() => '{}'))
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new HubError('HUB_REFERENCE', `${path} is not JSON.`, cause)
  }
}

/** A local adapter names its base by a folder, which has no meaning on other machines: a published one names a repository or none. */
async function publicAdapterConfig(path: string, { baseModel }: PushOptions): Promise<string> {
  const config = z.looseObject({}).safeParse(parseJson(path, await readFile(path, 'utf8')))
  if (!config.success) throw new HubError('HUB_REFERENCE', `${path} is not an object.`, config.error)
  const named = config.data.base_model_name_or_path
  const known = typeof named === 'string' && isRepoName(named) ? named : null
  return `${JSON.stringify({ ...config.data, base_model_name_or_path: baseModel ?? known }, null, 2)}\n`
}

/** @param file - its path on disk, to be hashed piece by piece; null for content in memory. */
async function localFile(path: string, content: Blob, file: string | null): Promise<LocalFile> {
  const hash = createHash('sha256')
  if (file === null) hash.update(await content.bytes())
  else for await (const chunk of createReadStream(file)) hash.update(chunk)
  const size = file === null ? content.size : (await stat(file)).size
  const sample = Buffer.from(await content.slice(0, SAMPLE_BYTES).arrayBuffer()).toString('base64')
  return { path, oid: hash.digest('hex'), size, sample, content }
}

/** Creates the repository unless it exists. */
async function createRepo(client: HubClient, { repo, isPrivate }: PushOptions): Promise<void> {
  const [organization, name] = repo.split('/')
  const exists = await client.send(`api/models/${repo}`).then(
    response => response.body?.cancel().then(() => true) ?? true,
    error => {
      if (error instanceof HubError && error.code === 'HUB_NOT_FOUND') return false
      throw error
    },
  )
  if (exists) return
  const response = await client.send('api/repos/create', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'model', name, organization, private: isPrivate }),
  })
  await response.body?.cancel()
}

async function uploadModes(client: HubClient, repo: string, files: readonly LocalFile[]) {
  const response = await client.send(`api/models/${repo}/preupload/main`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ files: files.map(({ path, size, sample }) => ({ path, size, sample })) }),
  })
  const answer = understood(preuploadSchema, await readLimitedJson(response, client), 'the upload')
  const modes = new Map(answer.files.map(({ path, uploadMode }) => [path, uploadMode]))
  const forgotten = files.find(({ path }) => !modes.has(path))
  if (forgotten) throw new HubError('HUB_RESPONSE', `The hub does not say how to send ${forgotten.path}.`)
  return modes
}

function understood<T extends z.ZodType>(schema: T, content: unknown, what: string): z.output<T> {
  const parsed = schema.safeParse(content)
  if (parsed.success) return parsed.data
  throw new HubError('HUB_RESPONSE', `The hub's answer about ${what} is malformed.`)
}
