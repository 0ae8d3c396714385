import { sayReachability } from '#p2p/connections/reachability.ts'
import { SAID_FOR_MS } from '#roles/reports/reportConnections.ts'
import { TWIN_ADVICE } from '#roles/reports/twin.ts'
import { defineCommand } from '../defineCommand.ts'
import { peerOnChain } from '../options/commonSettings.ts'
import { jsonOption } from '../options/optionKinds.ts'
import { readableAmount } from '../readableAmount.ts'
import { reportLines } from '../status/reportLines.ts'
import { openPeerFolder } from '../withSession.ts'

/** A peer's status from the chain and its own journal. */
export const status = defineCommand({
  usage: 'npx waggle status [OPTIONS]',
  about:
    "Prints what the chain and the peer's own journal know about it; the peer need not run. For a gateway that ran canaries, it also prints how often the judge agreed with execution.",
  own: jsonOption,
  peer: peerOnChain,
  async run({ json }, _, flags) {
    const folder = await openPeerFolder(flags)
    const { readStatus } = await import('../status/readStatus.ts')
    const found = await readStatus(folder)
    if (json) return console.log(JSON.stringify(found))
    const {
      name,
      peerId,
      account,
      balanceEth,
      countsFrom,
      seated,
      pointsMilli,
      nectar,
      owed,
      network,
      round,
      connections,
      judge,
      settlements,
      twin,
      workerRestart,
      sponsor,
      reports,
    } = found
    console.log(`peer       ${name} (${peerId})
account    ${account}, ${readableAmount(balanceEth)} of the native coin
registered ${registeredLine(countsFrom, round)}${sponsorLine(sponsor)}
seat       ${seated ? 'yes' : 'no (only evaluators need one)'}
points     ${(pointsMilli / 1000).toFixed(2)}
nectar     ${readableAmount(nectar.claimed)} claimed, ${readableAmount(nectar.claimable)} to claim
round      ${round < 0 ? 'not begun' : round} on ${network}
connected  ${connectedLine(connections, Date.now())}${reachableLine(connections, Date.now(), network === 'local')}${twinLine(twin)}${workerLine(workerRestart, Date.now())}${owedLines(owed)}${judge === null ? '' : `\njudge      ${judgeLine(judge)}`}`)
    if (settlements.length > 0) console.log(`settled    ${settlements.map(settledLine).join('\n           ')}`)
    if (reports.length > 0) console.log('work')
    for (const line of reportLines(reports)) console.log(`  ${line}`)
  },
})

function registeredLine(countsFrom: number | null, round: number): string {
  if (countsFrom === null) return 'no: the first start as a role that is paid registers it'
  return countsFrom > Math.max(0, round) ? `yes; its key counts from round ${countsFrom} on` : 'yes'
}

/** A missing score is not shown as a score of 0. */
export function settledLine({ round, outcome, scoreMilli, votes }: Found['settlements'][number]): string {
  if (outcome === 'scored') return `round ${round}: ${(scoreMilli / 1000).toFixed(3)} points, by ${votes} votes`
  const why: Partial<Record<typeof outcome, string>> = {
    unavailable: `most of ${votes} votes were 'unavailable'`,
    'no quorum': `only ${votes} votes were opened`,
    void: 'a beacon was not recorded',
  }
  return `round ${round}: no score, ${why[outcome] ?? outcome} (npx waggle why --round ${round})`
}

type Found = Awaited<ReturnType<typeof import('../status/readStatus.ts').readStatus>>

/** Connections as the running peer reported them in the last minutes; an older report means that it is not running. */
function connectedLine(connections: Found['connections'], nowMs: number): string {
  if (connections === null) return 'not known: the peer has not been started yet'
  const { peers, alone, atMs } = connections
  const seconds = Math.max(0, Math.round((nowMs - atMs) / 1000))
  if (seconds * 1000 > SAID_FOR_MS) return `the peer is not running: its last report is ${seconds} s old`
  return alone === null ? `to ${peers} peers` : `to no peer: ${alone.found}\n           ${alone.advice}`
}

/** Empty if the peer is not running. */
export function reachableLine(connections: Found['connections'], nowMs: number, isLocalChain: boolean): string {
  if (!connections?.reachability || nowMs - connections.atMs > SAID_FOR_MS) return ''
  const { found, advice } = sayReachability(connections.reachability, isLocalChain)
  return `\nreachable  ${found}${advice === null ? '' : `\n           ${advice}`}`
}

/** The judge's accuracy against execution, on the newest executed answers. */
export function judgeLine(judge: NonNullable<Found['judge']>): string {
  const { round, answers, solvers, truePositives, falsePositives, falseNegatives, trueNegatives } = judge
  const accuracy = judge.balancedAccuracy?.toFixed(2) ?? 'unknown: it takes right and wrong answers'
  return `in round ${round}, of ${answers} answers of ${solvers === 1 ? 'one solver' : `${solvers} solvers`}, it called ${truePositives} right ones right and ${falseNegatives} wrong, ${trueNegatives} wrong ones wrong and ${falsePositives} right
           balanced accuracy ${accuracy}, calibration error ${judge.calibrationError.toFixed(2)}`
}

function twinLine(twin: Found['twin']): string {
  return twin === null ? '' : `\ntwin       another process has its keys: ${twin.evidence}\n           ${TWIN_ADVICE}`
}

function sponsorLine(sponsor: Found['sponsor']): string {
  if (sponsor === null) return ''
  const { url, standing, isLow, problem } = sponsor
  if (problem !== null) return `\nsponsor    ${problem}`
  if (standing === null) return `\nsponsor    ${url} has not registered this peer`
  const worked = standing.workedRound === null ? 'no work seen yet' : `worked in round ${standing.workedRound}`
  const low = isLow ? '\n           it runs low: it may soon pay no more' : ''
  return `\nsponsor    ${url} paid ${standing.spent} in 24 hours, ${standing.left} are left; ${worked}${low}`
}

function workerLine(restart: Found['workerRestart'], nowMs: number): string {
  if (restart === null) return ''
  const minutes = Math.max(0, Math.round((nowMs - restart.atMs) / 60_000))
  return `\nworker     replaced ${minutes} min ago, ${restart.restarts} times since the start: ${restart.reason}`
}

type Owed = Found['owed']

/** Empty if nothing is owed: most accounts never post a bond. */
function owedLines({ challenges, market, token }: Owed): string {
  const lines = [
    challenges !== '0' &&
      `${readableAmount(challenges)} of the native coin by challenges: npx waggle challenge withdraw`,
    market !== '0' && `${readableAmount(market)} ${token} by the market: npx waggle market withdraw`,
  ]
  return lines.map(line => (line === false ? '' : `\nowed       ${line}`)).join('')
}
