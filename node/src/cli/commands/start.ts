import { systemClock } from '#core/clock.ts'
import { createLogger } from '#core/logger.ts'
import { roleNames } from '#roles/roleName.ts'
import { startRole } from '#roles/startRole.ts'
import type { Command } from '../command.ts'
import { loadConfig } from '../config.ts'
import { dataOption, networkOptions, networkUsage, openDeployment } from '../networkOptions.ts'
import { UsageError } from '../usageError.ts'

const text = { type: 'string' } as const
const list = { type: 'string', multiple: true } as const

/** Runs a peer until it is stopped. */
export const start: Command = {
  summary: 'run a peer: --role solver, proposer, evaluator or gateway',
  usage: `npm run waggle -- start --role ROLE [OPTIONS]

Ctrl-C stops it; the next start goes on where it was. Settings may also stand in DIR/waggle.yaml.

  --role ROLE         ${roleNames.join(', ')}
${networkUsage}
  --listen MULTIADDR  where to listen, may be repeated (default /ip4/0.0.0.0/tcp/0)
  --bootnode MULTIADDR  a peer to meet first, may be repeated (default: those on the chain)
  --level N           proposer: hold the difficulty at this level
  --http N            gateway: port of its HTTP server on loopback (default 3001)
  --threads N         threads of a model's session (default 1)
  --log FORMAT        pretty or json`,
  options: {
    ...dataOption,
    ...networkOptions,
    role: text,
    listen: list,
    bootnode: list,
    level: text,
    http: text,
    threads: text,
    log: text,
  },
  async run({ data, bootnode, ...flags }) {
    const config = loadConfig(String(data ?? '.waggle/peer'), { ...flags, bootnodes: bootnode })
    const { role } = config
    if (role === undefined) throw new UsageError('No role.', { hint: `Name one with --role: ${roleNames.join(', ')}.` })
    const { deployment, rpcUrl } = openDeployment(config)
    const stop = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
    await startRole({
      role,
      deployment,
      rpcUrl,
      data: config.data,
      listen: config.listen,
      bootnodes: config.bootnodes,
      level: config.level,
      httpPort: config.http,
      threads: config.threads,
      clock: systemClock,
      openLogger: ({ accountKey, name, peerId }) =>
        createLogger(
          {
            write: line => console.log(line),
            format: config.log,
            level: 'info',
            clock: systemClock,
            secrets: [accountKey, accountKey.slice(2)],
          },
          config.log === 'json' ? { role, name, peerId } : {},
        ),
      signal: stop.signal,
    })
  },
}
