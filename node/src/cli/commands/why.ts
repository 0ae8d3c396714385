import { defineCommand } from '../defineCommand.ts'
import { peerOnChain } from '../options/commonSettings.ts'
import { loadConfig } from '../options/config.ts'
import { openDeployment } from '../options/networkOptions.ts'
import { jsonOption, numberOption, textOption } from '../options/optionKinds.ts'
import { requirePeer } from '../requirePeer.ts'

const own = {
  peer: textOption('NAME', "its name of three words, peer id, or key on the chain (default: the folder's peer)"),
  round: numberOption('the round (default: the newest final one that the peer worked in)'),
  ...jsonOption,
}

/** Explains the outcome of a peer's work. */
export const why = defineCommand({
  usage: 'npx waggle why [OPTIONS]',
  about:
    "Explains what happened to a peer's work in a round: whether its answers were committed, who was drawn to score them and how each voted, what was settled, challenged and appealed, and what the peer earned; the same for its tasks, its votes as an evaluator, and its verdicts on appeals. It reads the chain and needs no keys. If the folder has the score sheets of the round, it also prints the score of each drawn answer.",
  own,
  peer: peerOnChain,
  async run({ json, peer, round }, _, flags) {
    const config = loadConfig(flags)
    const asked = peer ?? (await ownPeer(config.data))
    const { explainWork } = await import('#roles/evidence/readWork.ts')
    const found = await explainWork({ ...openDeployment(config), data: config.data, peer: asked, round })
    if (json)
      return console.log(JSON.stringify(found, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
    const { name, peerId, idle, work, answers, votes, tasks } = found
    const part = (title: string, lines: readonly string[]) =>
      lines.length === 0 ? [] : [title, ...lines.map(line => `  ${line}`)]
    const lines = [...part('answers', answers), ...part('votes', votes), ...part('tasks', tasks)]
    const title = `round ${work.round}: ${name} (${peerId})`
    console.log([...(idle === null ? [] : [idle]), title, ...lines].join('\n'))
  },
})

async function ownPeer(folder: string): Promise<string> {
  requirePeer(folder, 'Name one with --peer, by its three words or its peer id, or its folder with --data.')
  const { openIdentity } = await import('#store/identity.ts')
  return (await openIdentity(folder)).peerId
}
