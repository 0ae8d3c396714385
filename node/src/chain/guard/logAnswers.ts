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
  const seen = new Set<string>()
  const hashes = new Map<number, string>()
  for (const log of result as Log[]) {
    if (!isWanted(fieldsOf(filter), log)) return 'events that were not asked for'
    const block = Number(log.blockNumber)
    const known = hashes.get(block) ?? log.blockHash
    if (known !== log.blockHash) return 'events of two blocks of one number'
    hashes.set(block, known)
    const at = `${block} ${Number(log.logIndex)}`
    if (seen.has(at)) return 'an event twice'
    seen.add(at)
  }
  return null
}

type Log = { address: string; topics: string[]; blockNumber: string; blockHash: string; logIndex: string }

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
