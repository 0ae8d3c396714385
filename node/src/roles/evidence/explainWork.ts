import { phase, SHARD_PEERS, UNAVAILABLE } from '@waggle/deployments/protocol'
import { formatEther } from 'viem'
import type { PeerKey } from '#core/hashes.ts'
import { countLacking, lackingWords } from '../audit/lackingSeats.ts'
import { milliWords } from './milliWords.ts'
import type { Seat, Work } from './work.ts'

type NameOf = (peerKey: PeerKey) => string

/** The outcome of a peer's answers, in sentences; the last one states its points of the round. */
export function explainAnswers(work: Work, nameOf: NameOf): string[] {
  const { round, currentRound, countsFrom, commitment } = work
  if (round > currentRound) return [`Round ${round} has not begun; the chain is in round ${currentRound}.`]
  if (countsFrom > round)
    return [`The peer's key counts from round ${countsFrom} on: the chain takes none of its work before.`]
  if (commitment === null)
    return [
      round === currentRound
        ? `It has not committed answers yet; it can until the round ends.`
        : `It committed no answers, so that there was nothing to score.`,
    ]
  const { count, ordinal } = commitment
  const shard = Math.floor(ordinal / SHARD_PEERS)
  return [
    `It committed ${count} answers in block ${commitment.block}, as peer ${ordinal} of the round: place ${ordinal % SHARD_PEERS} of shard ${shard}.`,
    ...explainPolicy(work),
    ...explainVotes(work, nameOf),
    ...(work.refuted === null ? [] : [`Sampling refuted, as this folder's node found: ${work.refuted}.`]),
    ...explainSettlement(work),
    ...explainChallenges(work, nameOf),
    standing(work),
  ]
}

/** Tells a peer that has done nothing in the newest final rounds when newer work is final. @param first - the oldest round searched. */
export function explainIdle({ round, currentRound }: Pick<Work, 'round' | 'currentRound'>, first: number): string {
  const when = `the chain is in round ${currentRound}, and a round is final ${phase.opening} rounds later`
  if (currentRound < round + phase.opening) return `No round is final yet: ${when}.`
  const searched = first === round ? `round ${round}` : `rounds ${first} to ${round}`
  return `It did nothing in the newest final rounds (${searched}); ${when}.`
}

function explainPolicy({ namedPolicy, commitment }: Work): string[] {
  if (namedPolicy === commitment?.policyHash) return ['It had named the policy that answered before the round began.']
  const named = namedPolicy === null ? 'no policy' : 'another policy'
  return [`Sampling refuted: it had named ${named} before the round, so that these answers count nothing.`]
}

function explainVotes({ round, currentRound, beacons, seats }: Work, nameOf: NameOf): string[] {
  if (currentRound === round) return ['The round has not ended: who scores it, and which answers, is drawn after it.']
  if (beacons.own === 'void' || beacons.before === 'void') return []
  if (seats.length === 0)
    return beacons.own === 'drawn' || beacons.own === 'fixed'
      ? ['No evaluator had a seat, so it was not scored.']
      : ['Its beacon is not recorded yet: who scores it, and which answers, is drawn from that.']
  const names = seats.map(({ evaluatorKey }) => nameOf(evaluatorKey)).join(', ')
  return [
    `Drawn to score it: ${names}.`,
    ...seats.map(seat => `  ${nameOf(seat.evaluatorKey)} ${voteWords(seat, round, currentRound)}`),
    ...lackingLines(seats),
  ]
}

function lackingLines(seats: Work['seats']): string[] {
  const bases = seats.flatMap(({ scored }) => scored?.lacksBase ?? [])
  const lacking = countLacking(bases, seats.length)
  return lacking === null ? [] : [`${lackingWords(lacking)}, as their score sheets in this folder say.`]
}

function voteWords({ voteMilli, isSealed, isOwn, scored }: Seat, round: number, currentRound: number): string {
  if (voteMilli === null) {
    if (currentRound <= round + phase.voting) return isSealed ? 'has sealed its vote' : 'has not sealed a vote yet'
    if (!isSealed) return 'sealed no vote'
    return currentRound === round + phase.revealing
      ? 'has not opened its vote yet'
      : 'did not open the vote that it had sealed'
  }
  const own = isOwn ? '; the peer and this seat have one account, so that it does not count' : ''
  if (voteMilli === UNAVAILABLE && scored?.lacksBase !== undefined)
    return `abstained: 'unavailable'. It does not hold the base of the policy, ${scored.lacksBase}${own}`
  if (voteMilli === UNAVAILABLE)
    return `abstained: 'unavailable', which is not a score of 0. It did not get the answers, or had no time left${own}`
  return `voted ${milliWords(voteMilli)}${scoredWords(voteMilli, scored)}${own}`
}

function scoredWords(voteMilli: number, scored: Seat['scored']): string {
  if (scored === null) return ''
  const { leaves } = scored
  if (leaves.length === 0) return voteMilli === 0 ? ': the answers were not what the peer had committed' : ''
  const mean = Math.round(leaves.reduce((sum, { scoreMilli }) => sum + scoreMilli, 0) / leaves.length)
  if (voteMilli === 0 && mean > 0)
    return `: ${leaves.length} drawn answers came to ${milliWords(mean)}, and sampling was refuted`
  return `: ${leaves.length} drawn answers of ${leaves.map(({ scoreMilli }) => milliWords(scoreMilli)).join(', ')}`
}

function explainSettlement({ round, currentRound, beacons, settlement }: Work): string[] {
  if (settlement === null) {
    if (currentRound < round + phase.settling) return [`It is settled in round ${round + phase.settling}.`]
    if (currentRound === round + phase.settling)
      return ['It is not settled yet; anyone can settle it until this round ends.']
    return [`It was not settled in round ${round + phase.settling}: it gives no points, and no seat is blamed.`]
  }
  const { outcome, scoreMilli, votes } = settlement
  if (outcome === 'scored')
    return [
      `Settled as scored: ${milliWords(scoreMilli)}, the lower median of ${votes} votes (votes of 'unavailable' do not count).`,
    ]
  if (outcome === 'unavailable')
    return [
      `Settled as unavailable: more than half of ${votes} votes were 'unavailable', so that the answers got no score, which counts no points.`,
      "Others could not fetch them in time, or the evaluators were too slow: see their logs, and this peer's connections (npx waggle status).",
    ]
  if (outcome === 'no quorum')
    return [`Settled without a quorum: ${votes} votes were opened, too few to decide. The peer is not blamed.`]
  if (outcome === 'void')
    return [
      `Settled as void: the beacon of round ${beacons.before === 'void' ? round - 1 : round} was never recorded. Nobody is blamed.`,
    ]
  return [`Settled as ${outcome}.`]
}

function explainChallenges({ round, currentRound, settlement, told }: Work, nameOf: NameOf): string[] {
  const lines: string[] = []
  for (const { index, throughRound } of told.demanded) {
    if (told.shown.includes(index)) lines.push(`Answer ${index} was demanded on the chain, and shown in time.`)
    else if (told.withheld.includes(index))
      lines.push(`Withheld: answer ${index} was demanded on the chain, and not shown.`)
    else if (currentRound <= throughRound)
      lines.push(`Answer ${index} is demanded on the chain; it can be shown until round ${throughRound} ends.`)
    else
      lines.push(`Answer ${index} was demanded and not shown; anyone can close that now, and the peer loses the round.`)
  }
  for (const index of told.falseLeaves)
    lines.push(`Answer ${index} was shown to be false: its seed, policy or task is not what it must be.`)
  for (const { level, drawn } of told.appealed) {
    lines.push(`Appealed${level > 1 ? ' once more' : ''}: ${drawn} seats were to score it again.`)
    for (const verdict of told.verdicts)
      if (verdict.level === level)
        lines.push(
          `  ${nameOf(verdict.seatKey)} judged ${verdict.scoreMilli === UNAVAILABLE ? 'unavailable' : milliWords(verdict.scoreMilli)}`,
        )
  }
  const [closing] = told.closed
  if (closing !== undefined) lines.push(closingWords(closing, settlement?.outcome === 'scored'))
  else if (told.appealed.length > 0) lines.push(`The appeal of round ${round} is open.`)
  return lines
}

/** @param hadScore - whether the committee gave a score: answers that were unavailable have none, which is not a score of 0. */
function closingWords(
  { outcome, scoreMilli, settledMilli, isMoot }: Work['told']['closed'][number],
  hadScore: boolean,
): string {
  const settled = hadScore ? `${milliWords(settledMilli)} was settled` : 'no score was settled'
  if (isMoot)
    return 'The appeal changed no score, since the peer lost the round for another reason. It judged the seats all the same.'
  if (scoreMilli === settledMilli)
    return `The appeal changed nothing: ${hadScore ? `${milliWords(settledMilli)} stands` : 'it still has no score'}.`
  if (outcome === 'unavailable')
    return `The appeal took the score away: more than half of the jury could not get the answers, as a seat of the committee could not, where ${settled}.`
  return `The appeal was upheld: ${milliWords(scoreMilli)} stands, where ${settled}.`
}

/** The peer's points of the round, and what can still change them. */
function standing({ round, currentRound, settlement, told }: Work): string {
  const lost = told.withheld.length > 0 || told.falseLeaves.length > 0
  const milli = lost ? 0 : (told.closed.at(-1)?.scoreMilli ?? settlement?.scoreMilli ?? 0)
  if (settlement === null && !lost)
    return currentRound > round + phase.settling ? 'In all: no points.' : 'In all: nothing is decided yet.'
  const isOpen =
    (told.appealed.length > 0 && told.closed.length === 0) ||
    told.demanded.some(({ index }) => !told.shown.includes(index) && !told.withheld.includes(index))
  const points = `In all: ${milliWords(milli)} points`
  if (isOpen) return `${points}, contested: Nectar for them waits until that is closed.`
  if (currentRound < round + phase.opening) return `${points}, final from round ${round + phase.opening} on.`
  return milli === 0 ? `${points}, final.` : `${points}, final: Nectar for them can be claimed, or was.`
}

/** The outcome of a peer's votes as an evaluator; empty if it was not drawn. */
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
          `It opened the score of one answer: ${milliWords(opened.scoreMilli)} for answer ${opened.index}.`,
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

/** The outcome of a peer's tasks; empty if it did not propose. */
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
