import type { Audit } from '#roles/audit/auditPoints.ts'
import type { RoundAudit } from '#roles/audit/auditRollouts.ts'
import { openChatModels } from '../chatModels.ts'
import type { Command, Values } from '../command.ts'
import { type Config, loadConfig } from '../config.ts'
import { hubOptions, hubUsage } from '../modelOptions.ts'
import { chainOptions, chainUsage, openDeployment } from '../networkOptions.ts'
import { openDevice } from '../openDevice.ts'
import { wholeNumber } from '../wholeNumber.ts'

const text = { type: 'string' } as const

/** Derives points again, from votes or from rollouts. */
export const audit: Command = {
  usage: `npm run waggle -- audit [OPTIONS]

Derives every peer's points again from the votes on the chain: who sat on each committee, what its ballots come to, what leaves and
appeals changed; and compares them with the points that the chain has. It needs no keys.

With --round, derives that round's scores again from what its solvers committed to: the leaves that the beacon drew, scored by the
frozen judge here, of work that the named policy sampled; and names the evaluators whose votes are further off than agreement allows.
The folder must keep the round's bodies: that of a peer that took part does, and that of a gateway. Policies are kept by evaluators:
elsewhere the leaves that could not be checked are listed. The exit code is 1 if anything differs.

  --index URL         compare the leaderboard of an indexer as well, all as of the block that it has reached
  --round N           score this round's rollouts again
  --environment FILE, --model PATH_OR_REPO, --judge PATH_OR_REPO
                      with --round: the specification and models of a swarm of chat models
${hubUsage}
  --device NAME       auto, cpu, webgpu or cuda (default auto)
  --threads N         threads of the judge's session (default 1)
${chainUsage}`,
  options: {
    ...chainOptions,
    ...hubOptions,
    environment: text,
    model: text,
    judge: text,
    device: text,
    threads: text,
    index: text,
    round: text,
  },
  async run({ json, index, round, ...flags }) {
    const config = loadConfig(flags)
    const { differs, found, lines } = round === undefined ? await ofAll(config, index) : await ofRound(config, round)
    if (differs) process.exitCode = 1
    console.log(json === true ? JSON.stringify(found) : lines.join('\n'))
  },
}

async function ofAll(config: Config, index: Values[string]) {
  const { auditPoints } = await import('#roles/audit/auditPoints.ts')
  const indexUrl = typeof index === 'string' ? index : undefined
  const found = await auditPoints({ ...openDeployment(config), indexUrl })
  return { differs: found.findings.length > 0, found, lines: linesOfAll(found) }
}

function linesOfAll({ block, headBlock, rounds, settlements, peers, findings }: Audit): string[] {
  const behind = block < headBlock ? `, which the index has reached; the chain is at block ${headBlock}` : ''
  return [
    ...peers.map(({ name, pointsMilli }) => `${(pointsMilli / 1000).toFixed(2).padStart(9)}  ${name}`),
    `as of block ${block}${behind}`,
    `${settlements} settlements of ${rounds} rounds derived again: ${findings.length} differ`,
    ...findings.map(({ peerKey, says, ...of }) => `${'round' in of ? `round ${of.round}: ` : ''}${peerKey} ${says}`),
  ]
}

async function ofRound(config: Config, round: Values[string]) {
  const { threads, data } = config
  const chat = await openChatModels(config, new AbortController().signal)
  const device = await openDevice(config.device, chat !== undefined)
  const { auditRollouts, openEnvironments } = await import('#roles/audit/auditRollouts.ts')
  const environments = await openEnvironments(chat)
  const number = wholeNumber('round', round)
  const found = await auditRollouts({ ...openDeployment(config), round: number, data, environments, threads, device })
  return { differs: found.disagreements.length > 0, found, lines: linesOfRound(found) }
}

function linesOfRound({ round, tasks, peers, disagreements }: RoundAudit): string[] {
  const shown = (milli: number | null, absent: string) => String(milli ?? absent).padStart(11)
  return [
    `round ${round}, ${tasks} tasks`,
    '    settled     derived',
    ...peers.map(
      ({ name, settledMilli, derivedMilli }) =>
        `${shown(settledMilli, 'not yet')} ${shown(derivedMilli, 'not kept')}  ${name}`,
    ),
    ...peers.flatMap(({ name, sampling }) =>
      sampling === null || sampling.result === 'proven'
        ? []
        : `sampling of ${name}, leaves ${sampling.leaves.join(', ')}: ${sampling.result}, ${sampling.reason}`,
    ),
    ...disagreements.map(
      ({ name, peerKey, voteMilli, derivedMilli }) =>
        `${name} voted ${voteMilli} on ${peerKey}, of ${derivedMilli} here`,
    ),
  ]
}
