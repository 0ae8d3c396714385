import { readStatus } from '#roles/readStatus.ts'
import { openIdentity } from '#store/identity.ts'
import type { Command } from '../command.ts'
import { loadConfig } from '../config.ts'
import { dataOption, networkOptions, networkUsage, openDeployment } from '../networkOptions.ts'

/** What the chain and the peer's own journal say of it. Works while the peer runs, and while it does not. */
export const status: Command = {
  summary: "show a peer's round, points, seat and last rounds",
  usage: `npm run waggle -- status [--data DIR] [--network NAME] [--json]\n\n${networkUsage}`,
  options: { ...dataOption, ...networkOptions, json: { type: 'boolean' } },
  async run({ data, json, ...flags }) {
    const config = loadConfig(String(data ?? '.waggle/peer'), flags)
    const { deployment, rpcUrl } = openDeployment(config)
    const identity = await openIdentity(config.data)
    const found = await readStatus({ data: config.data, deployment, rpcUrl, identity })
    if (json === true) return console.log(JSON.stringify(found))
    const { name, peerId, account, balanceEth, registered, seated, points, round, reports } = found
    console.log(`peer       ${name} (${peerId})\naccount    ${account}, ${balanceEth} of the native coin`)
    console.log(
      `registered ${registered ? 'yes' : 'no'}\nseat       ${seated ? 'yes' : 'no'}\npoints     ${points}\nround      ${round}`,
    )
    for (const { round: of, ...report } of reports) console.log(`  round ${of}: ${JSON.stringify(report)}`)
  },
}
