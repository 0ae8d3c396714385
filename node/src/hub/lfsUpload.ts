import { z } from 'zod'
import type { HubClient } from './hubClient.ts'
import { HubError } from './hubError.ts'
import { readLimitedJson } from './readLimited.ts'

/** A file of Git LFS, which names it by the sha-256 of its content. */
export type LfsObject = { readonly oid: string; readonly size: number; readonly content: Blob }

const headers = z.record(z.string(), z.string()).default({})
const batchSchema = z.looseObject({
  objects: z.array(
    z.looseObject({
      oid: z.string(),
      error: z.looseObject({ message: z.string() }).optional(),
      actions: z
        .looseObject({
          upload: z.looseObject({ href: z.url(), header: headers }).optional(),
          verify: z.looseObject({ href: z.url() }).optional(),
        })
        .optional(),
    }),
  ),
})

const LFS = { accept: 'application/vnd.git-lfs+json', 'content-type': 'application/vnd.git-lfs+json' } as const

/**
 * Uploads large files to the addresses that the hub returns; files that it already has are skipped.
 *
 * @see git-lfs `docs/api/batch.md`; the hub's `multipart` transfer, in which the upload's headers hold a chunk's size and an address for
 * each part.
 */
export async function uploadLfs(client: HubClient, repo: string, objects: readonly LfsObject[]): Promise<void> {
  if (objects.length === 0) return
  const response = await client.send(`${repo}.git/info/lfs/objects/batch`, {
    method: 'POST',
    headers: LFS,
    body: JSON.stringify({
      operation: 'upload',
      transfers: ['basic', 'multipart'],
      hash_algo: 'sha_256',
      ref: { name: 'main' },
      objects: objects.map(({ oid, size }) => ({ oid, size })),
    }),
  })
  const parsed = batchSchema.safeParse(await readLimitedJson(response, client))
  if (!parsed.success) throw new HubError('HUB_RESPONSE', 'The hub’s answer about large files is malformed.')
  for (const { oid, actions, error } of parsed.data.objects) {
    const object = objects.find(candidate => candidate.oid === oid)
    if (!object) throw new HubError('HUB_RESPONSE', 'The hub asks for a file that is not part of this push.')
    if (error) throw new HubError('HUB_DENIED', `The hub does not take a file: ${error.message.slice(0, 200)}.`)
    if (actions?.upload) await upload(client, object, actions.upload)
    if (actions?.verify) await post(client, actions.verify.href, { oid, size: object.size })
  }
}

async function upload(
  client: HubClient,
  { oid, size, content }: LfsObject,
  { href, header }: { href: string; header: Record<string, string> },
): Promise<void> {
  const chunkBytes = Number(header.chunk_size)
  if (header.chunk_size === undefined) {
    const response = await client.send(href, { method: 'PUT', headers: header, body: content })
    await response.body?.cancel()
    return
  }
  if (!Number.isInteger(chunkBytes) || chunkBytes < 1)
    throw new HubError('HUB_RESPONSE', 'The hub’s answer has no part size.')
  const parts: { partNumber: number; etag: string }[] = []
  for (let at = 0, partNumber = 1; at < size; at += chunkBytes, partNumber++) {
    const target = Object.entries(header).find(([name]) => /^\d+$/.test(name) && Number(name) === partNumber)?.[1]
    if (target === undefined) throw new HubError('HUB_RESPONSE', `The hub gives no address for part ${partNumber}.`)
    const response = await client.send(target, { method: 'PUT', body: content.slice(at, at + chunkBytes) })
    await response.body?.cancel()
    const etag = response.headers.get('etag')
    if (etag === null) throw new HubError('HUB_RESPONSE', `Part ${partNumber} came without a receipt.`)
    parts.push({ partNumber, etag })
  }
  await post(client, href, { oid, parts })
}

async function post(client: HubClient, href: string, body: unknown): Promise<void> {
  const response = await client.send(href, { method: 'POST', headers: LFS, body: JSON.stringify(body) })
  await response.body?.cancel()
}
