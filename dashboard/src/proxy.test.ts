import { unstable_doesMiddlewareMatch as isMatched } from 'next/experimental/testing/server'
import { expect, test } from 'vitest'
import { config } from './proxy.ts'

const hasPolicy = (path: string) => isMatched({ config, url: `http://localhost${path}` })

test('every path of a page has a policy, also pages that were not found', () => {
  for (const path of [
    '/',
    '/market/0',
    '/nothing',
    '/live-',
    '/names/x',
    '/rpcs',
    '/graphql.',
    '/_next',
    '/_next/x',
    '/v1',
  ])
    expect(hasPolicy(path), path).toBe(true)
})

test('data and files of the build have none', () => {
  for (const path of ['/graphql', '/live?last=50', '/names?id=1', '/rpc', '/v1/status', '/_next/static/a.js'])
    expect(hasPolicy(path), path).toBe(false)
})
