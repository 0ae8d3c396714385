import type { Command } from '../command.ts'
import { loadConfig } from '../options/config.ts'
import { chainOptions, chainUsage, openDeployment } from '../options/networkOptions.ts'
import { wholeNumber } from '../options/wholeNumber.ts'
import { requirePeer } from '../requirePeer.ts'

const text = { type: 'string' } as const

/** Says what became of a peer's work. */
export const why: Command = {
  usage: `npx waggle why [OPTIONS]

Explains what happened to a peer's work in a round: whether its answers were committed, who was drawn to score them and how each
voted, what was settled, challenged and appealed, and what the peer earned; the same for its votes as an evaluator and for its tasks.
It reads the chain and needs no keys. If the folder has the score sheets of the round, it also prints the score of each drawn answer.

  --peer NAME         its name of three words, peer id, or key on the chain (default: the folder's peer)
  --round N           the round (default: the newest final one)
${chainUsage}`,
  options: { ...chainOptions, peer: text, round: text },
  async run({ json, peer, round, ...flags }) {
    const number = round === undefined ? undefined : wholeNumber('round', round)
    const config = loadConfig(flags)
    const asked = typeof peer === 'string' ? peer : await ownPeer(config.data)
    const { explainWork } = await import('#roles/evidence/readWork.ts')
    const found = await explainWork({ ...openDeployment(config), data: config.data, peer: asked, round: number })
    if (json === true)
      return console.log(JSON.stringify(found, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
    const { name, peerId, work, answers, votes, tasks } = found
    const part = (title: string, lines: readonly string[]) =>
      lines.length === 0 ? [] : [title, ...lines.map(line => `  ${line}`)]
    const lines = [...part('answers', answers), ...part('votes', votes), ...part('tasks', tasks)]
    console.log([`round ${work.round}: ${name} (${peerId})`, ...lines].join('\n'))
  },
}

async function ownPeer(folder: string): Promise<string> {
  requirePeer(folder, 'Name one with --peer, by its three words or its peer id, or its folder with --data.')
  const { openIdentity } = await import('#store/identity.ts')
  return (await openIdentity(folder)).peerId
}
