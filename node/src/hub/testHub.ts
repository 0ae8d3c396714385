import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type SeenRequest = {
  readonly method: string
  readonly path: string
  readonly token: string | undefined
  readonly range: string | undefined
}

/** A hub on loopback, as far as Waggle speaks with it: one model repository, its large files on a second server. */
export type TestHub = {
  readonly url: string
  readonly commit: string
  readonly seen: SeenRequest[]
  /** Files of the repository; names that end in .safetensors are Git LFS files. */
  readonly files: Map<string, Buffer>
  /** Files that were uploaded with the last commit. */
  readonly committed: Map<string, Buffer>
  /** Answers before the hub does; true if it has. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  close(): Promise<void>
}

export const TEST_REPO = 'bees/tiny'
const COMMIT = 'c0'.repeat(20)
const sha = (kind: 'sha1' | 'sha256', content: Buffer | string) => createHash(kind).update(content).digest('hex')
const blobId = (content: Buffer) => sha('sha1', Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]))

/** @param token - what a request has to carry; null for a public repository. */
export async function startTestHub(
  files: Record<string, string | Buffer>,
  token: string | null = null,
): Promise<TestHub> {
  const content = new Map(Object.entries(files).map(([name, data]) => [name, Buffer.from(data)]))
  const uploads = createUploads()
  const noted = (answer: (request: IncomingMessage, response: ServerResponse, path: string) => unknown) =>
    createServer(async (request, response) => {
      const { method = '', url = '', headers } = request
      hub.seen.push({ method, path: url, token: headers.authorization, range: headers.range })
      if (!hub.intercept?.(request, response)) await answer(request, response, new URL(url, 'http://x').pathname)
    })
  const storage = noted(async (request, response, path) => {
    if (request.method !== 'PUT')
      return sendRange(request, response, content.get(decodeURIComponent(path.slice(1))) ?? Buffer.alloc(0))
    response.setHeader('etag', uploads.put(path.slice(1), await bodyOf(request))).end()
  })
  const server = noted(async (request, response, path) => {
    const json = (value: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    if (token !== null && request.headers.authorization !== `Bearer ${token}`) return json({ error: 'no' }, 401)
    const resolved = new RegExp(`^(?:/datasets)?/${TEST_REPO}/resolve/${COMMIT}/(.+)$`).exec(path)?.[1]
    if (resolved === undefined) {
      const answer = await answerOf(path, request, hub, storageUrl, uploads)
      return answer === undefined ? json({ error: 'no' }, 404) : json(answer)
    }
    const name = decodeURIComponent(resolved)
    const data = content.get(name)
    if (!data) return json({ error: 'no' }, 404)
    if (!name.endsWith('.safetensors')) return sendRange(request, response, data)
    response.writeHead(302, { location: `${storageUrl}/${name}?X-Signature=secret-signature` }).end()
  })
  await Promise.all([server, storage].map(one => new Promise<void>(resolve => one.listen(0, '127.0.0.1', resolve))))
  const urlOf = (one: typeof server) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`
  const storageUrl = urlOf(storage)
  const hub: TestHub = {
    ...{ url: urlOf(server), commit: COMMIT, seen: [], files: content, committed: new Map(), intercept: undefined },
    async close() {
      for (const one of [server, storage]) {
        one.closeAllConnections()
        await new Promise(resolve => one.close(resolve))
      }
    },
  }
  return hub
}

type Uploads = ReturnType<typeof createUploads>

/** Large files as they come to the second server. */
function createUploads() {
  const stored = new Map<string, Buffer>()
  const partOf = (path: string) => stored.get(path) ?? Buffer.alloc(0)
  return {
    /** @returns the part's ETag. */
    put(path: string, part: Buffer): string {
      stored.set(path, part)
      return `"${sha('sha1', part)}"`
    },
    whole: (oid: string) => stored.get(oid) ?? Buffer.concat([partOf(`${oid}/1`), partOf(`${oid}/2`)]),
  }
}

/** Answer of the hub's API; undefined for an unknown path. */
async function answerOf(path: string, request: IncomingMessage, hub: TestHub, storageUrl: string, uploads: Uploads) {
  const [model, dataset] = [`/api/models/${TEST_REPO}`, `/api/datasets/${TEST_REPO}`]
  if ([`${model}/revision/main`, `${model}/revision/${COMMIT}`, `${dataset}/revision/main`].includes(path))
    return { sha: COMMIT, siblings: siblings(hub.files) }
  if (path === model) return { id: TEST_REPO }
  if (path === '/api/repos/create') return { url: `${hub.url}/${TEST_REPO}` }
  if (path === '/complete') return {}
  if (path.endsWith('/preupload/main')) {
    const { files } = JSON.parse((await bodyOf(request)).toString())
    const mode = (name: string) => (name.endsWith('.safetensors') ? 'lfs' : 'regular')
    return { files: files.map((file: { path: string }) => ({ path: file.path, uploadMode: mode(file.path) })) }
  }
  if (path.endsWith('/objects/batch')) {
    const { objects } = JSON.parse((await bodyOf(request)).toString())
    return { transfer: 'multipart', objects: objects.map((object: Lfs) => uploadOf(object, hub.url, storageUrl)) }
  }
  if (path !== `${model}/commit/main`) return undefined
  for (const text of (await bodyOf(request)).toString().split('\n')) {
    const { key, value } = JSON.parse(text)
    if (key === 'file') hub.committed.set(value.path, Buffer.from(value.content, 'base64'))
    if (key === 'lfsFile') hub.committed.set(value.path, uploads.whole(value.oid))
  }
  return { commitOid: 'd1'.repeat(20), commitUrl: `${hub.url}/${TEST_REPO}/commit/x` }
}

type Lfs = { oid: string; size: number }

/** Files over 1000 bytes go in two parts, smaller ones in one request. */
function uploadOf({ oid, size }: Lfs, url: string, storageUrl: string) {
  const part = (number: number) => `${storageUrl}/${oid}/${number}?sig=s`
  const header = { chunk_size: String(Math.ceil(size / 2)), '00001': part(1), '00002': part(2) }
  const upload = size > 1000 ? { href: `${url}/complete`, header } : { href: `${storageUrl}/${oid}?sig=s`, header: {} }
  return { oid, size, actions: { upload } }
}

function siblings(content: ReadonlyMap<string, Buffer>) {
  return [...content].map(([rfilename, data]) => ({
    rfilename,
    size: data.length,
    blobId: blobId(data),
    ...(rfilename.endsWith('.safetensors')
      ? { lfs: { sha256: sha('sha256', data), size: data.length, pointerSize: 130 } }
      : {}),
  }))
}

function sendRange(request: IncomingMessage, response: ServerResponse, data: Buffer): void {
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
  response.writeHead(206, { 'content-range': `bytes ${start}-${data.length - 1}/${data.length}` })
  response.end(data.subarray(start))
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts)
}
