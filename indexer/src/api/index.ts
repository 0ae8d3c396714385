import { db } from 'ponder:api'
import schema from 'ponder:schema'
import { Hono } from 'hono'
import { graphql, sql } from 'ponder'
import { liveRoute } from './liveRoute.ts'
import { vacuumWhenReady } from './vacuumWhenReady.ts'

const app = new Hono()

// Cross-origin requests are allowed by Ponder's own server, for every route.
app.use('/graphql', graphql({ db, schema }))
app.get('/live', liveRoute(db))

vacuumWhenReady(statement => db.execute(sql.raw(statement))).catch(error =>
  console.warn(`Queries stay slower than they could be: ${error.message}`),
)

export default app
