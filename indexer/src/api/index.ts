import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { db } from 'ponder:api'
import schema from 'ponder:schema'
import { Hono } from 'hono'
import { eq, sql } from 'ponder'
import { addLinks } from './addLinks.ts'
import { answerFault } from './answerFault.ts'
import { answerRoute } from './answerRoute.ts'
import { describeSchema } from './describeSchema.ts'
import { explorePage } from './explorePage.ts'
import { lightenPglite } from './lightenPglite.ts'
import { LINKS } from './links.ts'
import { liveRoute } from './liveRoute.ts'
import { createPace, paceReads } from './paceReads.ts'
import { ponderSchema } from './ponderSchema.ts'
import { questionRoute } from './questionRoute.ts'
import { readDescriptions } from './readDescriptions.ts'
import { vacuumWhenReady } from './vacuumWhenReady.ts'

const app = new Hono()

const asked = await ponderSchema(schema)
addLinks(asked.schema, LINKS)
paceReads(asked.schema)
const makeContext = () => {
  const made = asked.makeContext()
  return { ...made, ...createPace(made.qb.settled) }
}
describeSchema(asked.schema, readDescriptions(readSources()))

// Cross-origin requests are allowed by Ponder's own server, for every route.
app.get('/graphql', explorePage)
app.use('/graphql', questionRoute(keysOfName), answerRoute(asked.schema, makeContext))
app.get('/live', liveRoute(db))
app.onError(answerFault)

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

/** Sources of the tables: their comments describe them. */
function readSources(): string {
  const folder = fileURLToPath(new URL('../../schema/', import.meta.url))
  return globSync('*.ts', { cwd: folder })
    .map(file => readFileSync(join(folder, file), 'utf8'))
    .join('\n')
}

export default app
