import { expect, test } from 'vitest'
import { listingAdvice } from './listingAdvice.ts'

const peerId = '16Uiu2HAmJLuPB4p4FWXkpmZ3Cdq5kuJsWxpUC6Tdn8hyv7T1SKxN'
const deployment = { network: 'sepolia', chainId: 11_155_111 }
const at = (place: string) => `${place}/tcp/4001/p2p/${peerId}`

test('a bootnode that the chain does not list is told the command that lists it, with an address that others can dial', () => {
  const addresses = [at('/ip4/127.0.0.1'), at('/ip4/10.0.0.7'), at('/dns4/boot.example')]
  const advice = `npx waggle bootnode add ${at('/dns4/boot.example')} --network sepolia`
  expect(listingAdvice({ peerId, addresses, listed: [], deployment })).toBe(advice)
  expect(listingAdvice({ peerId, addresses, listed: [at('/dns4/old.example')], deployment })).toBeNull()
  const near = { peerId, addresses: addresses.slice(0, 2), listed: [] }
  expect(listingAdvice({ ...near, deployment })).toContain('--announce /dns4/HOST/tcp/4001')
  const local = { network: 'local', chainId: 31_337 }
  expect(listingAdvice({ ...near, deployment: local })).toBe(`npx waggle bootnode add ${at('/ip4/127.0.0.1')}`)
})
