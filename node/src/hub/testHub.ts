import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type SeenRequest = {
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
const sha = (kind: 'sha1' | 'sha256', content: Buffer | string) => createHash(kind).update(content).digest('hex')
const blobId = (content: Buffer) => sha('sha1', Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]))

/** @param token - what a request has to carry; null for a public repository. */
export async function startTestHub(
  files: Record<string, string | Buffer>,
  token: string | null = null,
): Promise<TestHub> {
  const content = new Map(Object.entries(files).map(([name, data]) => [name, Buffer.from(data)]))
  const stored = new Map<string, Buffer>()
  const committed = new Map<string, Buffer>()
  const seen: SeenRequest[] = []
  const commit = 'c0'.repeat(20)
  const note = (request: IncomingMessage) =>
    seen.push({
      method: request.method ?? '',
      path: request.url ?? '',
      token: request.headers.authorization,
      range: request.headers.range,
    })
  const storage = createServer(async (request, response) => {
    note(request)
    if (hub.intercept?.(request, response)) return
    const url = new URL(request.url ?? '/', 'http://x')
    if (request.method === 'PUT') {
      const part = await bodyOf(request)
      stored.set(url.pathname.slice(1), part)
      response.setHeader('etag', `"${sha('sha1', part)}"`)
      return response.end()
    }
    sendRange(request, response, content.get(decodeURIComponent(url.pathname.slice(1))) ?? Buffer.alloc(0))
  })
  const server = createServer(async (request, response) => {
    note(request)
    if (hub.intercept?.(request, response)) return
    const url = new URL(request.url ?? '/', 'http://x')
    const json = (value: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
    const fail = (status: number) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"no"}')
    if (token !== null && request.headers.authorization !== `Bearer ${token}`) return fail(401)
    const resolved = new RegExp(`^(?:/datasets)?/${TEST_REPO}/resolve/${commit}/(.+)$`).exec(url.pathname)?.[1]
    if (resolved !== undefined) {
      const name = decodeURIComponent(resolved)
      const data = content.get(name)
      if (!data) return fail(404)
      if (!name.endsWith('.safetensors')) return sendRange(request, response, data)
      return response.writeHead(302, { location: `${storageUrl}/${name}?X-Signature=secret-signature` }).end()
    }
    if (
      [`/api/models/${TEST_REPO}/revision/main`, `/api/models/${TEST_REPO}/revision/${commit}`].includes(url.pathname)
    )
      return json({ sha: commit, siblings: siblings(content) })
    if (url.pathname === `/api/datasets/${TEST_REPO}/revision/main`)
      return json({ sha: commit, siblings: siblings(content) })
    if (url.pathname === `/api/models/${TEST_REPO}`) return json({ id: TEST_REPO })
    if (url.pathname === '/api/repos/create') return json({ url: `${url.origin}/${TEST_REPO}` })
    if (url.pathname.endsWith('/preupload/main')) {
      const { files: offered } = JSON.parse((await bodyOf(request)).toString())
      const mode = (path: string) => (path.endsWith('.safetensors') ? 'lfs' : 'regular')
      return json({ files: offered.map(({ path }: { path: string }) => ({ path, uploadMode: mode(path) })) })
    }
    if (url.pathname.endsWith('/objects/batch')) {
      const { objects } = JSON.parse((await bodyOf(request)).toString())
      return json({
        transfer: 'multipart',
        objects: objects.map((object: { oid: string; size: number }) => action(object)),
      })
    }
    if (url.pathname === '/complete') return json({})
    if (url.pathname === `/api/models/${TEST_REPO}/commit/main`) {
      for (const line of (await bodyOf(request))
        .toString()
        .split('\n')
        .map(text => JSON.parse(text))) {
        if (line.key === 'file') committed.set(line.value.path, Buffer.from(line.value.content, 'base64'))
        if (line.key === 'lfsFile') committed.set(line.value.path, joined(line.value.oid))
      }
      return json({ commitOid: 'd1'.repeat(20), commitUrl: `${hub.url}/${TEST_REPO}/commit/x` })
    }
    return fail(404)
  })
  /** Files over 1000 bytes go in two parts, smaller ones in one request. */
  const action = ({ oid, size }: { oid: string; size: number }) => {
    const chunk = Math.ceil(size / 2)
    const upload =
      size > 1000
        ? {
            href: `${hub.url}/complete`,
            header: {
              chunk_size: String(chunk),
              '00001': `${storageUrl}/${oid}/1?sig=s`,
              '00002': `${storageUrl}/${oid}/2?sig=s`,
            },
          }
        : { href: `${storageUrl}/${oid}?sig=s`, header: {} }
    return { oid, size, actions: { upload } }
  }
  const joined = (oid: string) =>
    stored.get(oid) ??
    Buffer.concat([stored.get(`${oid}/1`) ?? Buffer.alloc(0), stored.get(`${oid}/2`) ?? Buffer.alloc(0)])
  await Promise.all([server, storage].map(one => new Promise<void>(resolve => one.listen(0, '127.0.0.1', resolve))))
  const urlOf = (one: typeof server) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`
  const storageUrl = urlOf(storage)
  const hub: TestHub = {
    url: urlOf(server),
    commit,
    seen,
    files: content,
    committed,
    intercept: undefined,
    async close() {
      for (const one of [server, storage]) {
        one.closeAllConnections()
        await new Promise(resolve => one.close(resolve))
      }
    },
  }
  return hub
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
