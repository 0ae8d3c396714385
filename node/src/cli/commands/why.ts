import type { Command } from '../command.ts'
import { loadConfig } from '../config.ts'
import { chainOptions, chainUsage, openDeployment } from '../networkOptions.ts'
import { UsageError } from '../usageError.ts'
import { wholeNumber } from '../wholeNumber.ts'

const text = { type: 'string' } as const

/** Says what became of a peer's work. */
export const why: Command = {
  usage: `npx waggle why --peer NAME --round N [OPTIONS]

Says in words what became of a peer's work of a round: whether its answers were committed, who was drawn to score them and how each voted,
what was settled, challenged and appealed, and what it has of the round; the same of its votes as an evaluator and of its tasks. It reads
the chain and needs no keys. Where the folder keeps the score sheets of a round, it says what each drawn answer came to as well.

  --peer NAME         its three words, its peer id, or its key on the chain
  --round N           the round
${chainUsage}`,
  options: { ...chainOptions, peer: text, round: text },
  async run({ json, peer, round, ...flags }) {
    if (typeof peer !== 'string')
      throw new UsageError('No peer.', { hint: 'Name one with --peer: its three words or its peer id.' })
    const number = wholeNumber('round', round)
    const config = loadConfig(flags)
    const { explainWork } = await import('#roles/evidence/readWork.ts')
    const found = await explainWork({ ...openDeployment(config), data: config.data, peer, round: number })
    if (json === true)
      return console.log(JSON.stringify(found, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
    const { name, peerId, answers, votes, tasks } = found
    const part = (title: string, lines: readonly string[]) =>
      lines.length === 0 ? [] : [title, ...lines.map(line => `  ${line}`)]
    const lines = [...part('answers', answers), ...part('votes', votes), ...part('tasks', tasks)]
    console.log([`round ${number}: ${name} (${peerId})`, ...lines].join('\n'))
  },
}
