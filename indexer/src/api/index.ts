import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { db } from 'ponder:api'
import schema from 'ponder:schema'
import { Hono } from 'hono'
import { eq, graphql, sql } from 'ponder'
import { describeSchema } from './describeSchema.ts'
import { explorePage } from './explorePage.ts'
import { lightenPglite } from './lightenPglite.ts'
import { liveRoute } from './liveRoute.ts'
import { questionRoute } from './questionRoute.ts'
import { readDescriptions } from './readDescriptions.ts'
import { vacuumWhenReady } from './vacuumWhenReady.ts'

const app = new Hono()

// Cross-origin requests are allowed by Ponder's own server, for every route.
app.get('/graphql', explorePage)
const answer = graphql({ db, schema })
app.use('/graphql', questionRoute(keysOfName, readSchema), answer)
app.get('/live', liveRoute(db))

// Drizzle's own property, which Ponder's type leaves out.
lightenPglite((db as unknown as { $client: { parsers?: Record<string, unknown> } }).$client)

vacuumWhenReady(statement => db.execute(sql.raw(statement))).catch(error =>
  console.warn(`Queries stay slower than they could be: ${error.message}`),
)

async function keysOfName(name: string): Promise<string[]> {
  const { peerKey, name: known } = schema.peer
  const found = await db.select({ peerKey }).from(schema.peer).where(eq(known, name)).limit(2)
  return found.map(peer => peer.peerKey)
}

let described: ReturnType<typeof describeSchema> | undefined

/** Built on first use, since few clients need it; after a failure the next request retries. */
function readSchema() {
  described ??= makeSchema().catch(error => {
    described = undefined
    throw error
  })
  return described
}

function makeSchema() {
  const ponder = new Hono().use('/', answer)
  const headers = { 'content-type': 'application/json' }
  const folder = fileURLToPath(new URL('../../schema/', import.meta.url))
  const source = globSync('*.ts', { cwd: folder }).map(file => readFileSync(join(folder, file), 'utf8'))
  return describeSchema(
    async body => ponder.request('/', { method: 'POST', headers, body }),
    readDescriptions(source.join('\n')),
  )
}

export default app
