import { z } from 'zod'
import { systemClock } from '#core/clock.ts'
import { createLogger, silentLogger } from '#core/logger.ts'
import type { Audit } from '#roles/audit/auditPoints.ts'
import type { RoundAudit } from '#roles/audit/auditRound.ts'
import { lackingWords } from '#roles/audit/lackingSeats.ts'
import { defineCommand } from '../defineCommand.ts'
import { openChatModels } from '../models/chatModels.ts'
import { hubSettings, peerOnChain } from '../options/commonSettings.ts'
import { type Config, loadConfig } from '../options/config.ts'
import { openDeployment } from '../options/networkOptions.ts'
import { openDevice } from '../options/openDevice.ts'
import { flag, jsonOption, textOption } from '../options/optionKinds.ts'
import { peerSettings } from '../options/settings.ts'
import { stopSignal } from '../untilInterrupted.ts'

const rounds = z
  .string()
  .regex(/^\d{1,9}(\.\.\d{1,9})?$/, 'not a round, such as 3, nor a range of rounds, such as 3..7')
  .transform(text => {
    const [first = 0, last = first] = text.split('..').map(Number)
    return { first, last }
  })
  .refine(({ first, last }) => first <= last, 'not a range: give the first round first, such as 3..7')

const own = {
  index: textOption('URL', 'also compare the leaderboard of an indexer, all at the block that it has reached'),
  round: rounds
    .optional()
    .meta({ value: 'N', description: "score this round's rollouts again; FIRST..LAST for a range" }),
  peer: textOption('NAME', 'with --round: only this peer: name of three words, peer id or key'),
  follow: flag('with --round: this round and all later ones, each after its settlement, until Ctrl-C'),
  ...jsonOption,
}

/** With --round. */
const { bootnodes, environment, model, bases, 'bases-mb': basesMb, judge, device, threads } = peerSettings

/** Recomputes points from votes or from rollouts. */
export const audit = defineCommand({
  usage: 'npx waggle audit [OPTIONS]',
  about: `Recomputes every peer's points from the votes on the chain: the seats of each committee, the outcome of its ballots, and what challenges and appeals changed. It compares them with the points on the chain, and needs no keys. Several endpoints (--rpc URL,URL) are compared with each other; a single one is believed. Exit code 1 if anything differs; 69 if nothing differs but the compared block is over an hour old, so that later votes were not checked; 75 if an endpoint lags, or lacks events or the state of the block.

With --round, it also recomputes that round's scores: it checks that the named policy sampled the committed work, and scores the leaves that the beacon drew with the frozen judge on this machine. It compares the score that stands: of the committee, or of the jury that changed it. It names the evaluators whose votes or verdicts are outside the tolerance, with the leaf and the component in which a vote's score sheet differs most. Payloads that the folder does not have are fetched from peers, through the bootnodes on the chain; missing ones are listed. Exit code 1 if anything differs; 69 if nothing differs but something could not be checked, because it is not settled yet, its rollouts or policy are missing, or this machine does not hold the base of its policy: name further bases with --base. Those that are missing are listed for each round (lackingBases with --json).

Bootnodes, models, device and threads are for --round: those of a swarm of chat models, and this machine's. The frozen judge runs on the device; sampling is checked in float32 on the CPU, as evaluators do.`,
  own,
  peer: {
    bootnodes,
    environment,
    model,
    bases,
    'bases-mb': basesMb,
    judge,
    ...hubSettings,
    device,
    threads,
    ...peerOnChain,
  },
  async run({ json, index, round, peer, follow }, _, flags) {
    const config = loadConfig(flags)
    const print = (found: unknown, lines: string[]) => console.log(json ? JSON.stringify(found) : lines.join('\n'))
    if (round !== undefined) {
      const asked = follow ? { ...round, last: Number.POSITIVE_INFINITY } : round
      return ofRounds(config, { rounds: asked, peer: peer ?? null }, found => print(found, linesOfRound(found)))
    }
    const found = await ofAll(config, index)
    if (found.findings.length > 0) process.exitCode = 1
    else if (found.isOld) process.exitCode = UNCHECKED
    print(found, linesOfAll(found))
  },
})

type Rounds = z.infer<typeof rounds>

async function ofAll(config: Config, indexUrl: string | undefined) {
  const { auditPoints } = await import('#roles/audit/auditPoints.ts')
  return auditPoints({ ...openDeployment(config), indexUrl })
}

function linesOfAll(found: Audit): string[] {
  const { block, blockTime, headBlock, isOld, rounds, settlements, peers, findings, endpoints } = found
  const behind = block < headBlock ? `; the newest is ${headBlock}` : ''
  return [
    ...peers.map(({ name, pointsMilli }) => `${(pointsMilli / 1000).toFixed(2).padStart(9)}  ${name}`),
    `as of block ${block} of ${blockTime}${behind}`,
    ...(isOld ? ['that is over an hour ago: later votes are not checked'] : []),
    endpoints.length === 1
      ? `by the word of one endpoint, ${endpoints[0]}: name two with --rpc URL,URL to compare them`
      : `${endpoints.length} endpoints agree: ${endpoints.join(', ')}`,
    `recomputed ${settlements} settlements of ${rounds} rounds: ${findings.length} differ`,
    ...findings.map(({ peerKey, says, ...of }) => `${'round' in of ? `round ${of.round}: ` : ''}${peerKey} ${says}`),
  ]
}

async function ofRounds(
  config: Config,
  { rounds, peer }: { rounds: Rounds; peer: string | null },
  print: (found: RoundAudit) => void,
): Promise<void> {
  const { threads, data, bootnodes, 'bases-mb': megabytes } = config
  const signal = stopSignal()
  const chat = await openChatModels(config, signal)
  const device = await openDevice(config.device, chat !== undefined)
  const { openRolloutAudit, openEnvironments } = await import('#roles/audit/auditRollouts.ts')
  const { eachRound } = await import('#roles/audit/eachRound.ts')
  const waitsOut = rounds.last === Number.POSITIVE_INFINITY
  const logger = waitsOut ? warnings() : silentLogger
  const modules = { clock: systemClock, logger, signal }
  const bases = { folders: chat?.baseFolders, residentBytes: megabytes && megabytes * 2 ** 20 }
  const settings = { waitsOut, data, bootnodes, bases, environments: await openEnvironments(chat), threads, device }
  const opened = await openRolloutAudit({ ...openDeployment(config), ...settings, ...modules })
  try {
    for await (const found of eachRound(opened, rounds, peer)) {
      process.exitCode = worse(process.exitCode, exitCodeOf(found))
      print(found)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await opened.close()
  }
}

/** Warnings of an audit that follows, on standard error: its results are on standard output. */
const warnings = () =>
  createLogger({
    ...{ format: 'pretty', level: 'warn', clock: systemClock },
    write: text => void process.stderr.write(text),
  })

/** EX_UNAVAILABLE of sysexits.h: a required service is not available. */
const UNCHECKED = 69

function exitCodeOf({ peers, disagreements }: RoundAudit): number {
  if (disagreements.length > 0 || peers.some(({ verdict }) => verdict === 'differs')) return 1
  return peers.some(({ verdict }) => verdict === 'unchecked') ? UNCHECKED : 0
}

/** A difference in one round takes precedence over rounds that could not be checked. */
const worse = (before: typeof process.exitCode, now: number) => (before === 1 || now === 0 ? before : now)

function linesOfRound({ round, tasks, peers, disagreements, lackingBases }: RoundAudit): string[] {
  const shown = (milli: number | null, absent: string) => String(milli ?? absent).padStart(11)
  return [
    `round ${round}, ${tasks} tasks`,
    '     stands     derived     verdict',
    ...peers.map(
      ({ name, standingMilli, derivedMilli, verdict }) =>
        `${shown(standingMilli, 'not yet')} ${shown(derivedMilli, 'not given')} ${verdict.padStart(11)}  ${name}`,
    ),
    ...peers.flatMap(({ name, settledMilli, standingMilli, decidedBy }) =>
      decidedBy === null || decidedBy === 'committee'
        ? []
        : `${name}: ${standingMilli} by a ${decidedBy}, ${settledMilli ?? 'nothing'} by its committee`,
    ),
    ...peers.flatMap(({ name, sampling }) =>
      sampling === null || sampling.result === 'proven'
        ? []
        : `${subjectOf(sampling.leaves)} of ${name}: ${sampling.result}, ${sampling.reason}`,
    ),
    ...peers.flatMap(({ name, reason, sampling }) =>
      reason === null || reason === sampling?.reason ? [] : `${name}: unchecked, ${reason}`,
    ),
    ...lackingBases.map(
      ({ base, peers: names }) => `this machine cannot check base ${base}, of ${names.join(', ')}: name it with --base`,
    ),
    ...peers.flatMap(({ name, lackingSeats }) =>
      lackingSeats === null ? [] : `${name}: ${lackingWords(lackingSeats)}`,
    ),
    ...leewayLines(peers),
    ...disagreements.map(disagreementWords),
  ]
}

/** Without leaves nothing was sampled: its rollouts are not what it committed. */
const subjectOf = (leaves: readonly number[]) =>
  leaves.length === 0 ? 'rollouts' : `sampling of leaves ${leaves.join(', ')}`

/** The freedom that the tolerance of a check left to a peer, if any. */
function leewayLines(peers: RoundAudit['peers']): string[] {
  return peers.flatMap(({ name, sampling }) => {
    const { forgiven = 0, bits = 0 } = sampling?.leeway ?? {}
    if (forgiven === 0 && bits === 0) return []
    return `sampling of ${name}: ${forgiven} tokens forgiven, ${bits.toFixed(1)} bits left to choose from`
  })
}

function disagreementWords(found: RoundAudit['disagreements'][number]): string {
  const { name, peerName, level, voteMilli, derivedMilli, difference } = found
  if (level === 0)
    return `${name} voted ${voteMilli} on ${peerName}, of ${derivedMilli} here${differenceWords(difference)}`
  return `${name} judged ${voteMilli} on ${level > 1 ? 'the second' : 'an'} appeal of ${peerName}, of ${derivedMilli} here`
}

function differenceWords(difference: RoundAudit['disagreements'][number]['difference']): string {
  if (difference === null) return '; no leaf of its score sheet is known to differ'
  const { leaf, component, expectedMilli, foundMilli } = difference
  return `: leaf ${leaf}, ${component}, expected ${expectedMilli}, found ${foundMilli ?? 'nothing'}`
}
