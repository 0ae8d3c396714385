import { expect, test } from 'vitest'
import { testSwarm } from './testAnnouncement.ts'
import { deploymentTag, kindOf, topicOf, topicsOf } from './topics.ts'

test('topics name the chain, the deployment and the kind', () => {
  expect(topicOf(testSwarm, 'rollouts')).toBe('/waggle/31337/0123abcd/rollouts')
  expect(topicsOf(testSwarm).map(topic => kindOf(testSwarm, topic))).toEqual([
    'rollouts',
    'scores',
    'canary',
    'addresses',
  ])
  expect(kindOf(testSwarm, '/waggle/1/0123abcd/rollouts')).toBeNull()
})

test('the tag of a deployment does not depend on order or letter case', () => {
  expect(deploymentTag(['0xAb', '0x01'])).toBe(deploymentTag(['0x01', '0xaB']))
  expect(deploymentTag(['0x01'])).not.toBe(deploymentTag(['0x02']))
  expect(deploymentTag(['0x01'])).toMatch(/^[0-9a-f]{8}$/)
})
