import type { RoundAnswer } from '#sources/getRoundRecord.ts'
import { formatNectar } from './format.ts'
import { type NamedPeer, named } from './voteTable.ts'

/** Work for which an evaluator or a proposer is paid, in words that follow its name. */
interface PayRow {
  key: string
  peer: NamedPeer
  text: string
}

/** Rows shard by shard: evaluators that opened the score of a drawn leaf, and the proposer whose task it answered, each with the pay. */
export function payRows({ openings, taskPays, roundPeers }: RoundAnswer): PayRow[] {
  const names = new Map(roundPeers.items.map(one => [one.peerKey, named(one.peerKey, one).name]))
  const opened = openings.items.map(({ shard, evaluatorKey, evaluator, peerKey, index, scoreMilli, paidWei }) => ({
    shard,
    key: `opening ${shard} ${evaluatorKey}`,
    peer: named(evaluatorKey, evaluator),
    text: `gave leaf ${index} of ${names.get(peerKey) ?? 'a peer'} ${scoreMilli} of 1000, ${paid(paidWei)}`,
  }))
  const tasks = taskPays.items.map(({ shard, proposerKey, proposer, amountWei }) => ({
    shard,
    key: `task ${shard}`,
    peer: named(proposerKey, proposer),
    text: `proposed the task of that leaf, paid ${formatNectar(amountWei)} Nectar`,
  }))
  return [...opened, ...tasks].sort((a, b) => a.shard - b.shard)
}

function paid(paidWei: string | null): string {
  if (paidWei === null) return 'not closed yet'
  return paidWei === '0' ? 'and is not paid' : `paid ${formatNectar(paidWei)} Nectar`
}
