import { systemClock } from '#core/clock.ts'
import { createLogger } from '#core/logger.ts'
import { roleNames } from '#roles/roleName.ts'
import type { Command } from '../command.ts'
import { CONFIG_FILE, loadConfig } from '../config.ts'
import { dataOption, dataUsage, networkOptions, networkUsage, openDeployment } from '../networkOptions.ts'
import { UsageError } from '../usageError.ts'

const text = { type: 'string' } as const
const list = { type: 'string', multiple: true } as const

/** Runs a peer until it is stopped. */
export const start: Command = {
  usage: `npm run waggle -- start --role ROLE [OPTIONS]

Ctrl-C stops it; the next start goes on where it was. Settings may also stand in DIR/${CONFIG_FILE}, one a line, by the names
of the options (listen and bootnodes are lists there).

  --role ROLE         ${roleNames.join(', ')}
${dataUsage}
${networkUsage}
  --listen MULTIADDR  where to listen, may be repeated (default /ip4/0.0.0.0/tcp/0)
  --bootnode MULTIADDR
                      a peer to meet first beside those on the chain, may be repeated
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
  async run({ bootnode, ...flags }) {
    const config = loadConfig({ ...flags, bootnodes: bootnode })
    const { role } = config
    if (role === undefined) throw new UsageError('No role.', { hint: `Name one with --role: ${roleNames.join(', ')}.` })
    const { deployment, rpcUrl } = openDeployment(config)
    // After the checks above: models and network take a second to load.
    const { startRole } = await import('#roles/startRole.ts')
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
