import { expect, test } from 'vitest'
import { originsOf, redactUrls, urlSecrets } from './redactUrls.ts'
import { withoutCredentials } from './withoutCredentials.ts'

const urls = 'https://user:hunter22@one.example:8443/v2/k3y-in-path?apikey=k3y%2Bquery, https://two.example/an0ther'

test('a list of URLs shows only schemes, hosts and ports', () => {
  expect(originsOf(urls)).toBe('https://one.example:8443, https://two.example')
  expect(originsOf('one.example/key')).toBe('an invalid URL')
})

test('possible keys are removed from a text, raw and decoded, inside and outside of URLs', () => {
  const said = `${urls} refused: no project k3y+query, k3y%2Bquery, k3y-in-path or an0ther of hunter22 in v2`
  const hidden = redactUrls(said, urlSecrets(urls))
  expect(hidden).toBe(
    'https://one.example:8443, https://two.example refused: no project [redacted], [redacted], [redacted] or [redacted] of [redacted] in v2',
  )
  expect(redactUrls('see https://docs.example/path.', [])).toBe('see https://docs.example')
})

test('a user name and a password are taken out as a header has them, too', () => {
  const { headers } = withoutCredentials('https://us%C3%A9r:p%40ss@one.example/')
  const said = `401 for ${headers.authorization}`
  expect(redactUrls(said, urlSecrets('https://us%C3%A9r:p%40ss@one.example/'))).toBe('401 for Basic [redacted]')
})

test('names in a path are not keys, and everything where credentials stand is', () => {
  const named = 'https://one.example/solver-1/ethereum-sepolia/V2?network=mainnet'
  expect(urlSecrets(named)).toEqual(['mainnet'])
  const basic = Buffer.from('solver-1:evaluator').toString('base64')
  expect(urlSecrets('https://solver-1:evaluator@one.example/')).toEqual([basic, 'evaluator', 'solver-1'])
  const keys = [
    'AbCdEfGhIjKlMnOpQrSt',
    '0123456789abcdef0123456789abcdef',
    'hunter2222',
    'correct-horse-battery-staple',
  ]
  for (const key of keys) expect(urlSecrets(`https://one.example/v2/${key}`)).toEqual([key])
})
