import { phase } from '@waggle/deployments/protocol'
import { formatEther } from 'viem'
import type { Work } from './work.ts'

/** What became of a peer's votes as an evaluator; nothing where it was not drawn. */
export function explainVotesOf({ round, currentRound, duties, told }: Work): string[] {
  return duties.flatMap(({ shard, isSealed, isRevealed }) => {
    const lines = [`It was drawn to score shard ${shard}.`]
    if (isRevealed) lines.push('It sealed and opened its votes.')
    else if (isSealed)
      lines.push(
        currentRound > round + phase.revealing
          ? 'It sealed its votes and did not open them.'
          : 'It sealed its votes; they are opened next.',
      )
    else lines.push(currentRound > round + phase.voting ? 'It sealed no votes.' : 'It has not sealed its votes yet.')
    for (const opened of told.opened)
      if (opened.shard === shard)
        lines.push(
          `It opened the score of one answer: ${opened.scoreMilli} for answer ${opened.index}.`,
          paidWords(opened.paidWei),
        )
    return lines
  })
}

function paidWords(paidWei: bigint | null): string {
  if (paidWei === null) return 'The openings of the shard are not closed, so that nothing is paid yet.'
  return paidWei === 0n
    ? 'It was paid nothing: its opening did not agree with the others.'
    : `It was paid ${formatEther(paidWei)} Nectar: its opening agreed with the others.`
}

/** What became of a peer's tasks; nothing where it took no part in proposing. */
export function explainTasks({ round, currentRound, told }: Work): string[] {
  const { hasSecret, tasks, tasksPaid, secretWithheld } = told
  if (!hasSecret && tasks.length === 0) return []
  const count = tasks.reduce((sum, of) => sum + of, 0)
  const lines =
    count > 0
      ? [`It proposed ${count} tasks.`]
      : [
          currentRound < round
            ? 'It has sealed a secret, and can propose tasks until the round begins.'
            : 'It sealed a secret and proposed no tasks.',
        ]
  if (secretWithheld) lines.push('It was slashed: it had sealed a secret and did not show it.')
  for (const { taskIndex, amountWei } of tasksPaid)
    lines.push(`Its task ${taskIndex} was answered where the seats agreed: ${formatEther(amountWei)} Nectar.`)
  return lines
}
