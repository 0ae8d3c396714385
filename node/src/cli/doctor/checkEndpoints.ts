import { NodeError } from '#base/errors.ts'
import { originsOf, splitUrls } from '#core/redactUrls.ts'
import { type Finding, warning } from './finding.ts'

/** Endpoints of one chain are a block or two apart. */
const MAX_APART_SEC = 120

/**
 * Asks each of several endpoints alone: a peer needs one that works, and notices that another does not when the first one fails.
 *
 * @param readHead - resolves with the timestamp of an endpoint's newest block, Unix seconds, if it serves the deployment.
 * @param nowSec - Unix time here: a block of the future is newer than others, but not right for that.
 * @returns the origins of those that work, and a warning for each other one.
 */
export async function checkEndpoints(
  rpcUrl: string,
  readHead: (url: string) => Promise<number>,
  nowSec: number,
): Promise<{ working: string; warnings: Finding[] }> {
  const urls = splitUrls(rpcUrl)
  if (urls.length < 2) return { working: originsOf(rpcUrl), warnings: [] }
  const heads = await Promise.all(urls.map(url => readHead(url).catch(faultOf)))
  const known = heads.filter(head => typeof head === 'number')
  const past = known.filter(head => head <= nowSec + MAX_APART_SEC)
  const newest = Math.max(...(past.length > 0 ? past : known))
  const findings = heads.map((head, at) => {
    const origin = originsOf(urls[at] as string)
    const advice = 'The peer depends on the other endpoints: correct --rpc, or name another.'
    if (typeof head !== 'number') return warning('endpoint', `${origin}: ${head.message}`, advice)
    if (Math.abs(newest - head) <= MAX_APART_SEC) return null
    const apart = head < newest ? `${newest - head} s older` : `${head - newest} s newer`
    return warning('endpoint', `${origin}: its newest block is ${apart} than another's`, advice)
  })
  return {
    working: originsOf(urls.filter((_, at) => findings[at] === null).join()),
    warnings: findings.filter(finding => finding !== null),
  }
}

function faultOf(error: unknown): NodeError {
  if (error instanceof NodeError) return error
  throw error
}
