import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { rewardVotesAbi } from '@waggle/deployments/abi'
import { type Hex, numberToHex, toEventSelector } from 'viem'
import { changeReplies } from './faultyProxy.ts'
import { aboutIndex, aboutSettlement, type Lie } from './plantedLies.ts'

const event = rewardVotesAbi.find(one => one.type === 'event' && one.name === 'Settled')
const SETTLED = toEventSelector(event as Extract<typeof event, { type: 'event' }>)
/** By which a settlement is off, and points of an index; thousandths. */
const [OFF_MILLI, MORE_MILLI] = [300, 1000]
const WORD_DIGITS = 64

export type LyingFacts = {
  rpcUrl: string
  indexUrl: string
  lies: Lie[]
  close(): Promise<void>
}

type Settlement = { round: number; peerKey: Hex }
type Truth = {
  rpcUrl: string
  indexUrl: string
  /** Settlements whose score is another by the endpoint. */
  settlements: readonly Settlement[]
  /** Peers that have more points by the index. */
  peerKeys: readonly Hex[]
}

/** An endpoint that lies about settlements, and an index that lies about points. */
export async function startLyingFacts({ rpcUrl, indexUrl, settlements, peerKeys }: Truth): Promise<LyingFacts> {
  const server = createServer(async (request, response) => {
    try {
      const isRpc = request.url?.startsWith('/rpc') === true
      const given = await forward(request, isRpc ? rpcUrl : `${indexUrl}/graphql`)
      response.setHeader('content-type', 'application/json')
      response.end(isRpc ? otherScores(given, settlements) : morePoints(given, peerKeys))
    } catch {
      response.destroy() // the client sees that nothing came
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ rpcUrl: `${url}/rpc`, indexUrl: `${url}/index` },
    lies: [
      ...settlements.map(({ round, peerKey }) => ({
        kind: 'settlement' as const,
        about: aboutSettlement(round, peerKey),
      })),
      ...peerKeys.map(peerKey => ({ kind: 'index' as const, about: aboutIndex(peerKey) })),
    ],
    close() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

async function forward(request: IncomingMessage, url: string): Promise<string> {
  const body = await text(request)
  const reply = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  return reply.text()
}

type Log = { topics?: readonly Hex[]; data?: Hex }

/** Answers to calls, with other scores in the events of settlements. */
export function otherScores(given: string, settlements: readonly Settlement[]): string {
  const topics = new Set(
    settlements.map(({ round, peerKey }) => `${numberToHex(round, { size: 32 })} ${peerKey}`.toLowerCase()),
  )
  const isLied = ({ topics: [name, round, peerKey] = [] }: Log) =>
    name === SETTLED && topics.has(`${round} ${peerKey}`.toLowerCase())
  return changeReplies(given, reply => {
    if (!Array.isArray(reply.result)) return reply
    return { ...reply, result: reply.result.map((log: Log) => (isLied(log) ? withOtherScore(log) : log)) }
  })
}

/** The score is the first word. */
function withOtherScore(log: Log): Log {
  const { data = '0x' } = log
  const score = Number(data.slice(0, 2 + WORD_DIGITS))
  const other = score >= OFF_MILLI ? score - OFF_MILLI : score + OFF_MILLI
  return { ...log, data: `${numberToHex(other, { size: 32 })}${data.slice(2 + WORD_DIGITS)}` }
}

type Standings = { data?: { standings?: { items: { peerKey: Hex; pointsMilli: number | string }[] } } }

/** A page of standings in which some peers have more points; other answers stay as they are. */
export function morePoints(given: string, peerKeys: readonly Hex[]): string {
  const answer = JSON.parse(given) as Standings
  for (const item of answer.data?.standings?.items ?? [])
    if (peerKeys.includes(item.peerKey)) item.pointsMilli = Number(item.pointsMilli) + MORE_MILLI
  return JSON.stringify(answer)
}
