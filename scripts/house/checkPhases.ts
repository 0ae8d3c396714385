import type { Texts } from './readTexts.ts'

const SOURCE = /^(?:node(?:\/model)?|indexer|dashboard)\/src\/.*(?<!\.test)\.tsx?$/
/** A round and the distance to another one. A fraction is a coordinate of a chart. */
const OFFSET = /\b\w*[rR]ound\)? [-+] ([1-9]\d*)\b/g
/** Names that bound a call or a search of events: there even a neighbouring round is a phase. */
const BOUND = /\b(?:fromRound|throughRound|first|last): (?:[\w.]+|Number\()?$/

/** Rounds that are not the protocol's, or are counted for another reason. */
const ALLOWED: Record<string, string> = {
  'indexer/src/predictionMarket.ts': 'rounds of a game',
  'dashboard/src/merge/games/gameClock.ts': 'rounds of a game, which people count from 1',
  'node/src/roles/evaluator/demandMissing.ts': 'demands that can be closed now',
  'node/src/chain/challenges/leafDemands.ts': 'the round after the last one for an answer',
}

/** Offsets between rounds have names: `phase` of `deployments/protocol.ts`. The next round and the one before need none. */
export function checkPhases(sources: Texts): string[] {
  return [...sources].flatMap(([path, text]) => {
    if (!SOURCE.test(path) || path in ALLOWED) return []
    return text.split('\n').flatMap((line, at) =>
      [...line.matchAll(OFFSET)].flatMap(({ 0: found, 1: rounds, index }) => {
        const isNeighbour = rounds === '1' && !BOUND.test(line.slice(0, index))
        return isNeighbour ? [] : [`${path}:${at + 1}: ${found}: name the phase (deployments/protocol.ts)`]
      }),
    )
  })
}
