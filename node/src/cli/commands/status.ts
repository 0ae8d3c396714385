import { openIdentity } from '#store/identity.ts'
import type { Command } from '../command.ts'
import { loadConfig } from '../config.ts'
import { dataOption, dataUsage, networkOptions, networkUsage, openDeployment } from '../networkOptions.ts'
import { requirePeer } from '../requirePeer.ts'

/** What the chain and the peer's own journal say of it. */
export const status: Command = {
  usage: `npm run waggle -- status [OPTIONS]

What the chain and the peer's own journal say of it, while it runs and while it does not.

${dataUsage}
${networkUsage}
  --json              print one JSON object`,
  options: { ...dataOption, ...networkOptions, json: { type: 'boolean' } },
  async run({ json, ...flags }) {
    const config = loadConfig(flags)
    const { data } = config
    requirePeer(data, 'Name its folder with --data, or make a new peer: npm run waggle -- init.')
    const { deployment, rpcUrl } = openDeployment(config)
    const identity = await openIdentity(data)
    const { readStatus } = await import('#roles/readStatus.ts')
    const found = await readStatus({ data, deployment, rpcUrl, identity })
    if (json === true) return console.log(JSON.stringify(found))
    const { name, peerId, account, balanceEth, registered, seated, pointsMilli, nectar, network, round, reports } =
      found
    console.log(`peer       ${name} (${peerId})
account    ${account}, ${balanceEth} of the native coin
registered ${registered ? 'yes' : 'no: it is done by the first start'}
seat       ${seated ? 'yes' : 'no'}
points     ${(pointsMilli / 1000).toFixed(2)}
nectar     ${nectar.claimed} claimed, ${nectar.claimable} to claim
round      ${round < 0 ? 'not begun' : round} on ${network}`)
    for (const { round: of, ...report } of reports) console.log(`  round ${of}: ${JSON.stringify(report)}`)
  },
}
