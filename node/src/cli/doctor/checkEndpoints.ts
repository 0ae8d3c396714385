import { NodeError } from '#base/errors.ts'
import { originsOf, splitUrls } from '#core/redactUrls.ts'
import { type Finding, warning } from './finding.ts'

/** Endpoints of one chain are a block or two apart. */
const MAX_BEHIND_SEC = 120

/**
 * Asks each of several endpoints alone: a peer needs one that works, and notices that another does not when the first one fails.
 *
 * @param readHead - resolves with the timestamp of an endpoint's newest block, Unix seconds, if it serves the deployment.
 * @returns the origins of those that work, and a warning for each other one.
 */
export async function checkEndpoints(
  rpcUrl: string,
  readHead: (url: string) => Promise<number>,
): Promise<{ working: string; warnings: Finding[] }> {
  const urls = splitUrls(rpcUrl)
  if (urls.length < 2) return { working: originsOf(rpcUrl), warnings: [] }
  const heads = await Promise.all(urls.map(url => readHead(url).catch(faultOf)))
  const newest = Math.max(...heads.filter(head => typeof head === 'number'))
  const findings = heads.map((head, at) => {
    const origin = originsOf(urls[at] as string)
    const advice = 'The peer depends on the other endpoints: correct --rpc, or name another.'
    if (typeof head !== 'number') return warning('endpoint', `${origin}: ${head.message}`, advice)
    if (newest - head <= MAX_BEHIND_SEC) return null
    return warning('endpoint', `${origin}: its newest block is ${newest - head} s older than another's`, advice)
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
