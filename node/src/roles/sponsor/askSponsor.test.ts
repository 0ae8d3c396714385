import { expect, test } from 'vitest'
import { readSponsor } from './askSponsor.ts'

test('a password in the URL of a sponsor on another machine goes over TLS alone', async () => {
  const asked = readSponsor('http://bee:secret@sponsor.invalid:3010', null)
  await expect(asked).rejects.toMatchObject({
    code: 'SPONSOR',
    message: 'The password in the URL would go to sponsor.invalid:3010 without encryption.',
    hint: 'Give --sponsor an https URL, or leave the password out.',
  })
})
