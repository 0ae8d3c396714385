/**
 * Loaded before an evaluator's own code (`--import`): in some rounds its votes are wrong. Otherwise it is an honest evaluator.
 */
import type { PeerScore } from '../../node/src/core/payloads/payloads.ts'
import { liesHere } from './lies.ts'
import { patchSource } from './patchSource.ts'

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

/** A false vote without leaves: everything for work that is worth less than half, nothing for other work. */
function favour(score: PeerScore): PeerScore {
  return { ...score, scoreMilli: score.scoreMilli < 500 ? 1000 : 0, leaves: [] }
}

/** The vote of this process on a peer's work of a round. */
export function tell(round: number, score: PeerScore): PeerScore {
  if (liesHere('scores', round)) return lieAbout(score)
  return liesHere('favour', round) ? favour(score) : score
}

patchSource('/roles/checking/scoreRollouts.ts', {
  from: 'export async function scoreRollouts(',
  to: 'async function honestScore(',
  append: `
import { tell } from ${JSON.stringify(import.meta.url)}
const scoreRollouts: typeof honestScore = async (judge, payload, rules, work) => {
  const found = await honestScore(judge, payload, rules, work)
  return { ...found, score: tell(work.round, found.score) }
}
`,
})
