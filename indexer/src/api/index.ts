import { db } from 'ponder:api'
import schema from 'ponder:schema'
import { Hono } from 'hono'
import { eq, graphql, sql } from 'ponder'
import { explorePage } from './explorePage.ts'
import { lightenPglite } from './lightenPglite.ts'
import { liveRoute } from './liveRoute.ts'
import { questionRoute } from './questionRoute.ts'
import { vacuumWhenReady } from './vacuumWhenReady.ts'

const app = new Hono()

// Cross-origin requests are allowed by Ponder's own server, for every route.
app.get('/graphql', explorePage)
app.use('/graphql', questionRoute(keysOfName), graphql({ db, schema }))
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

export default app
