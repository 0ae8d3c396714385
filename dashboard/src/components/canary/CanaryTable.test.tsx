import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { CanaryPoint } from '#sources/gateway.ts'
import { CanaryTable } from './CanaryTable.tsx'

const point = (round: number): CanaryPoint => ({
  ...{ round, peerId: 'p', peerKey: '0x1', name: 'able busy calm', tasks: 16, samples: 64 },
  ...{ reward: 0.5, predicted: null, passAt1: 0.5 },
})
const table = (count: number) =>
  renderToStaticMarkup(<CanaryTable points={Array.from({ length: count }, (_, at) => point(at))} />)

test('the closed table has the newest rows of a large swarm alone, and says so', () => {
  const large = table(1_230)
  expect(large.match(/<th scope="row"/g)).toHaveLength(100)
  expect(large).toContain('>1229<')
  expect(large).toContain('newest 100 of 1230')
  expect(table(100)).not.toContain('newest')
})
