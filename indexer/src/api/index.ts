import { db } from 'ponder:api'
import schema from 'ponder:schema'
import { Hono } from 'hono'
import { graphql } from 'ponder'
import { liveRoute } from './liveRoute.ts'

const app = new Hono()

// Cross-origin requests are allowed by Ponder's own server, for every route.
app.use('/graphql', graphql({ db, schema }))
app.get('/live', liveRoute(db))

export default app
