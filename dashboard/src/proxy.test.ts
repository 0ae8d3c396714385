import { unstable_doesMiddlewareMatch as isMatched } from 'next/experimental/testing/server'
import { expect, test } from 'vitest'
import { config } from './proxy.ts'

const hasPolicy = (path: string) => isMatched({ config, url: `http://localhost${path}` })

test('whatever may come as a page has a policy, those that say that there is nothing among them', () => {
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
