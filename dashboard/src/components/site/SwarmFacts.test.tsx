import { renderToStaticMarkup } from 'react-dom/server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { getSwarmStatus } from '#sources/gateway.ts'
import { SwarmFacts } from './SwarmFacts.tsx'

test('a gateway of an earlier release, which lists peers, is not said to have met none', async () => {
  vi.stubEnv('WAGGLE_GATEWAY_URL', 'http://127.0.0.1:1')
  onTestFinished(() => void [vi.unstubAllEnvs(), vi.unstubAllGlobals()])
  const facts = async (told: object) => {
    const answer = { round: 4, secondsLeft: 11, level: 3, environment: { name: 'codezero' }, ...told }
    vi.stubGlobal('fetch', async () => Response.json(answer))
    return renderToStaticMarkup(await SwarmFacts({ status: getSwarmStatus() }))
  }
  const earlier = await facts({ peers: [{ peerKey: '0x1', role: 'solver' }] })
  expect(earlier).toContain('Difficulty')
  expect(earlier).not.toContain('In the swarm')
  expect(await facts({ roles: {}, releases: {} })).toContain('has met no peer yet')
  expect(await facts({ roles: { solver: 2 }, releases: {} })).toContain('2 solvers')
})
