import { systemClock } from '#core/clock.ts'
import { silentLogger } from '#core/logger.ts'
import type { Audit } from '#roles/audit/auditPoints.ts'
import type { RoundAudit } from '#roles/audit/auditRound.ts'
import type { Command, Values } from '../command.ts'
import { openChatModels } from '../models/chatModels.ts'
import { type Config, loadConfig } from '../options/config.ts'
import { hubOptions, hubUsage } from '../options/modelOptions.ts'
import { chainOptions, chainUsage, openDeployment } from '../options/networkOptions.ts'
import { openDevice } from '../options/openDevice.ts'
import { wholeNumber } from '../options/wholeNumber.ts'
import { stopSignal } from '../untilInterrupted.ts'
import { UsageError } from '../usageError.ts'

const text = { type: 'string' } as const

/** Derives points again, from votes or from rollouts. */
export const audit: Command = {
  usage: `npx waggle audit [OPTIONS]

Recomputes every peer's points from the votes on the chain: the seats of each committee, the outcome of its ballots, and what
challenges and appeals changed. It compares them with the points on the chain, and needs no keys.

With --round, it also recomputes that round's scores: it checks that the named policy sampled the committed work, and scores the
leaves that the beacon drew with the frozen judge on this machine. It names the evaluators whose votes are outside the tolerance,
with the leaf and the component in which their score sheets differ most. Payloads that the folder does not have are fetched from
peers, through the bootnodes on the chain; missing ones are listed. Exit code 1 if anything differs; 69 if nothing differs but
something could not be checked, because it is not settled yet or its rollouts or policy are missing.

  --index URL         also compare the leaderboard of an indexer, all at the block that it has reached
  --round N           score this round's rollouts again; FIRST..LAST for a range
  --peer NAME         with --round: only this peer: name of three words, peer id or key
  --follow            with --round: this round and all later ones, each after its votes are revealed, until Ctrl-C
  --bootnode MULTIADDR
                      with --round: bootnode besides those on the chain, may be repeated
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
    peer: text,
    follow: { type: 'boolean' },
    bootnode: { type: 'string', multiple: true },
  },
  async run({ json, index, round, peer, follow, ...flags }) {
    const config = loadConfig(flags)
    const print = (found: unknown, lines: string[]) =>
      console.log(json === true ? JSON.stringify(found) : lines.join('\n'))
    if (round !== undefined) {
      const asked = { rounds: roundsOf(round, follow === true), peer: typeof peer === 'string' ? peer : null }
      return ofRounds(config, asked, found => print(found, linesOfRound(found)))
    }
    const { differs, found, lines } = await ofAll(config, index)
    if (differs) process.exitCode = 1
    print(found, lines)
  },
}

type Rounds = { first: number; last: number }

function roundsOf(text: Values[string], follows: boolean): Rounds {
  const [from, to] = typeof text === 'string' ? text.split('..') : [text]
  const first = wholeNumber('round', from)
  const last = follows ? Number.POSITIVE_INFINITY : to === undefined ? first : wholeNumber('round', to)
  if (last < first)
    throw new UsageError(`--round ${text} ends before it begins.`, { hint: 'Give the first round first: 3..7.' })
  return { first, last }
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
    `recomputed ${settlements} settlements of ${rounds} rounds: ${findings.length} differ`,
    ...findings.map(({ peerKey, says, ...of }) => `${'round' in of ? `round ${of.round}: ` : ''}${peerKey} ${says}`),
  ]
}

async function ofRounds(
  config: Config,
  { rounds, peer }: { rounds: Rounds; peer: string | null },
  print: (found: RoundAudit) => void,
): Promise<void> {
  const { threads, data, bootnodes } = config
  const signal = stopSignal()
  const chat = await openChatModels(config, signal)
  const device = await openDevice(config.device, chat !== undefined)
  const { openRolloutAudit, openEnvironments } = await import('#roles/audit/auditRollouts.ts')
  const { RoundVoidError } = await import('#roles/audit/auditRound.ts')
  const modules = { clock: systemClock, logger: silentLogger, signal }
  const waitsOut = rounds.last === Number.POSITIVE_INFINITY
  const settings = { waitsOut, data, bootnodes, environments: await openEnvironments(chat), threads, device }
  const opened = await openRolloutAudit({ ...openDeployment(config), ...settings, ...modules })
  try {
    for (let round = rounds.first; round <= rounds.last; round += 1) {
      if (rounds.last > rounds.first) await opened.waitFor(round)
      const found = await opened.audit(round, peer).catch(error => {
        // One of many: the others are audited all the same.
        if (!(error instanceof RoundVoidError) || rounds.last === rounds.first) throw error
        return { round, tasks: 0, peers: [], disagreements: [] }
      })
      process.exitCode = worse(process.exitCode, exitCodeOf(found))
      print(found)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await opened.close()
  }
}

/** As sysexits.h has it: a service that is needed is not available. */
const UNCHECKED = 69

function exitCodeOf({ peers, disagreements }: RoundAudit): number {
  if (disagreements.length > 0 || peers.some(({ verdict }) => verdict === 'differs')) return 1
  return peers.some(({ verdict }) => verdict === 'unchecked') ? UNCHECKED : 0
}

/** A difference in one round is not hidden by what another could not be checked for. */
const worse = (before: typeof process.exitCode, now: number) => (before === 1 || now === 0 ? before : now)

function linesOfRound({ round, tasks, peers, disagreements }: RoundAudit): string[] {
  const shown = (milli: number | null, absent: string) => String(milli ?? absent).padStart(11)
  return [
    `round ${round}, ${tasks} tasks`,
    '    settled     derived     verdict',
    ...peers.map(
      ({ name, settledMilli, derivedMilli, verdict }) =>
        `${shown(settledMilli, 'not yet')} ${shown(derivedMilli, 'not given')} ${verdict.padStart(11)}  ${name}`,
    ),
    ...peers.flatMap(({ name, sampling }) =>
      sampling === null || sampling.result === 'proven'
        ? []
        : `sampling of ${name}, leaves ${sampling.leaves.join(', ')}: ${sampling.result}, ${sampling.reason}`,
    ),
    ...leewayLines(peers),
    ...disagreements.map(
      ({ name, peerName, voteMilli, derivedMilli, difference }) =>
        `${name} voted ${voteMilli} on ${peerName}, of ${derivedMilli} here${differenceWords(difference)}`,
    ),
  ]
}

/** What the tolerance of a check left to a peer, where that is anything. */
function leewayLines(peers: RoundAudit['peers']): string[] {
  return peers.flatMap(({ name, sampling }) => {
    const { forgiven = 0, bits = 0 } = sampling?.leeway ?? {}
    if (forgiven === 0 && bits === 0) return []
    return `sampling of ${name}: ${forgiven} tokens forgiven, ${bits.toFixed(1)} bits left to choose from`
  })
}

function differenceWords(difference: RoundAudit['disagreements'][number]['difference']): string {
  if (difference === null) return '; no leaf of its score sheet is known to differ'
  const { leaf, component, expectedMilli, foundMilli } = difference
  return `: leaf ${leaf}, ${component}, expected ${expectedMilli}, found ${foundMilli ?? 'nothing'}`
}
