import { expect, test } from 'vitest'
import { adjectives, animals, peerName } from './peerName.ts'

test('names never change', () => {
  expect(peerName('16Uiu2HAmPLe7Mzm8TsYUubgCAW1aJoeFScxrLj8ppHFivPo97bUZ')).toBe('speckled dusky crane')
  expect(peerName('QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N')).toBe('sunny silver crow')
})

test('the words are 256 and 256, each once', () => {
  expect(new Set(adjectives).size).toBe(256)
  expect(new Set(animals).size).toBe(256)
  expect(adjectives).toHaveLength(256)
  expect(animals).toHaveLength(256)
})

test('the two adjectives of a name differ', () => {
  for (let i = 0; i < 2000; i++) {
    const [first, second, animal] = peerName(`peer ${i}`).split(' ')
    expect(first).not.toBe(second)
    expect(animal).toBeTruthy()
  }
})
