/**
 * Loaded before an evaluator's own code (`--import`): all of its votes are wrong, in three alternating ways. Otherwise it is an honest
 * evaluator.
 */
import { registerHooks } from 'node:module'
import type { PeerScore } from '../../node/src/core/payloads/payloads.ts'

/** Far above the tolerance between votes. */
const OFF_MILLI = 300

const away = (milli: number) => (milli >= 500 ? milli - OFF_MILLI : milli + OFF_MILLI)

let lies = 0

/** A false vote: with false scores for all leaves, for one leaf, or for none. */
export function lieAbout(score: PeerScore): PeerScore {
  const wrong = [score.leaves.length, 1, 0][lies++ % 3] as number
  const leaves = score.leaves.map((leaf, at) => {
    if (at >= wrong) return leaf
    const components = Object.fromEntries(Object.entries(leaf.components).map(([name, milli]) => [name, away(milli)]))
    return { ...leaf, components, scoreMilli: away(leaf.scoreMilli) }
  })
  return { ...score, scoreMilli: away(score.scoreMilli), leaves }
}

const declared = 'export async function scorePeer('

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith('/roles/evaluator/scoreRollouts.ts')) return loaded
    const source = String(loaded.source)
    if (!source.includes(declared))
      throw new Error('cannot patch scorePeer: scoreRollouts.ts does not declare it as expected')
    const wrapped = `
import { lieAbout } from ${JSON.stringify(import.meta.url)}
export const scorePeer: typeof honestScore = async (...asked) => lieAbout(await honestScore(...asked))
`
    return { ...loaded, source: source.replace(declared, 'async function honestScore(') + wrapped }
  },
})
