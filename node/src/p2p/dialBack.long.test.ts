import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const [OWN, PORT] = ['8.0.0.1', 4001]
/** Each of another network, as AutoNAT tells them: by the first byte. None of them is private. */
const others = [9, 11, 12, 13, 14, 15, 16, 17].map(first => `${first}.0.0.1`)

/** Hosts at public addresses, which exist in a network that nothing leaves. Linux gives it to any user, unless that is turned off. */
async function dialedBack(mode: 'open' | 'closed') {
  const script = [
    'ip link set lo up',
    ...[OWN, ...others].map(ip => `ip address add ${ip}/32 dev lo`),
    // The address that others see is its own; by default it would be theirs.
    ...others.map(ip => `ip route change local ${ip} dev lo table local src ${OWN}`),
    ...(mode === 'open'
      ? []
      : [
          // A router that forwards nothing to it.
          `ip rule add pref 5 to ${OWN} ipproto tcp dport ${PORT} prohibit`,
          'ip rule add pref 10 lookup local',
          'ip rule del pref 0 lookup local',
        ]),
    'exec "$@"',
  ].join(' && ')
  const child = [process.execPath, join(import.meta.dirname, 'dialedBack.ts'), mode, `${PORT}`, OWN, ...others]
  const argv = ['--user', '--map-root-user', '--net', 'sh', '-ec', script, 'sh', ...child]
  const { stdout } = await promisify(execFile)('unshare', argv, { timeout: 100_000 })
  return JSON.parse(stdout)
}

test('a public address is announced once a peer of another network has dialled it, and the connections are kept', async () => {
  expect(await dialedBack('open')).toEqual({
    before: [],
    by: 'direct',
    after: [`/ip4/${OWN}/tcp/${PORT}/p2p/ID`],
    connected: others.length,
  })
})

test('an address that no peer can dial is not announced, and the connections are kept', async () => {
  expect(await dialedBack('closed')).toEqual({ before: [], by: 'nothing', after: [], connected: others.length })
})
