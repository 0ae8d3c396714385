import { expect, test } from 'vitest'
import type { Scene } from './scene.ts'

/** Values that the database refuses: the last test finds no word of them in the log. */
export function testRefusals(scene: Scene): void {
  test('a value that the database refuses fails its list alone, at once, also if a cursor cannot be read', async () => {
    const { indexer } = scene
    const ask = async (cursor: string, text: string) => {
      const query = `query Q($text: String) { peers(${cursor} where: { name_ends_with: $text }) { totalCount } }`
      const body = JSON.stringify({ query, variables: { text } })
      return (await fetch(`${indexer.url}/graphql`, { method: 'POST', body })).json()
    }
    // A pattern that ends within an escape.
    for (const cursor of ['', 'after: "x",', 'before: "x",', 'before: "bnVsbA==",'])
      expect(await ask(cursor, '\\'), cursor).toMatchObject({ data: null, errors: [{ path: ['peers'] }] })
    expect(await ask('', 'no such name')).toEqual({ data: { peers: { totalCount: 0 } } })
    expect(indexer.process.exitCode).toBeNull()
  })
}
