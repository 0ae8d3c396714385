import { fieldsOf, isBytes, isHex, isListOf, isQuantity, isSafeQuantity } from './values.ts'

type Filter = { address?: unknown; topics?: unknown; fromBlock?: unknown; toBlock?: unknown }

/** An event that is in a block. Its data is decoded later, by the contract's ABI. */
export function isLog(result: unknown): boolean {
  const { address, topics, data, blockNumber, blockHash, logIndex, transactionHash, transactionIndex, removed } =
    fieldsOf(result)
  return (
    removed !== true &&
    isBytes(address, 20) &&
    isListOf(topic => isBytes(topic, 32), topics) &&
    isHex(data) &&
    [blockNumber, logIndex, transactionIndex].every(isSafeQuantity) &&
    [blockHash, transactionHash].every(hash => isBytes(hash, 32))
  )
}

/** The fault of an answer to `eth_getLogs`; null if it holds events of the requested blocks, contracts and topics, each once, and of one chain. */
export function faultOfLogs(params: unknown, result: unknown): string | null {
  if (!isListOf(isLog, result)) return 'an answer that is not a list of events'
  const [filter] = Array.isArray(params) ? params : []
  let before: Log | undefined
  for (const log of inChainOrder(result as Log[])) {
    const fault = isWanted(fieldsOf(filter), log) ? before && faultAfter(before, log) : 'events that were not asked for'
    if (fault) return fault
    before = log
  }
  return null
}

/** The fault of two events that follow each other; null if they are two of one chain. */
function faultAfter(one: Log, next: Log): string | null {
  if (Number(one.blockNumber) !== Number(next.blockNumber)) return null
  if (one.blockHash !== next.blockHash) return 'events of two blocks of one number'
  return Number(one.logIndex) === Number(next.logIndex) ? 'an event twice' : null
}

/** Events by block and place, whatever their order in the answer. Readers rely on it: of two events of a peer, the later one counts. */
export function inChainOrder(logs: readonly Log[]): Log[] {
  return logs.toSorted(
    (a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
  )
}

export type Log = { address: string; topics: string[]; blockNumber: string; blockHash: string; logIndex: string }

function isWanted({ address, topics, fromBlock, toBlock }: Filter, log: Log): boolean {
  const block = Number(log.blockNumber)
  return (
    (!isQuantity(fromBlock) || block >= Number(fromBlock)) &&
    (!isQuantity(toBlock) || block <= Number(toBlock)) &&
    isOneOf(address, log.address) &&
    (!Array.isArray(topics) || topics.every((topic, at) => isOneOf(topic, log.topics[at])))
  )
}

/** Whether a value is the one of a filter, or in its list; each value is if there is no filter. */
function isOneOf(wanted: unknown, value: string | undefined): boolean {
  if (wanted === undefined || wanted === null) return true
  return [wanted].flat().some(one => String(one).toLowerCase() === value?.toLowerCase())
}
