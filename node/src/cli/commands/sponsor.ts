import { feeSettings } from '#chain/outbox/feeSettings.ts'
import { systemClock } from '#core/clock.ts'
import { sponsorSettings } from '#roles/sponsor/sponsorSettings.ts'
import { defineCommand } from '../defineCommand.ts'
import { environment } from '../environment.ts'
import { openLog } from '../openLog.ts'
import { logSettings, peerOnChain } from '../options/commonSettings.ts'
import { loadConfig } from '../options/config.ts'
import { openDeployment } from '../options/networkOptions.ts'
import { pickSettings } from '../options/settingOptions.ts'
import { stopSignal } from '../untilInterrupted.ts'
import { UsageError } from '../usageError.ts'

/** Long enough to resist guessing: the server is open to anybody. */
const MIN_INVITATION = 16

/** Pays for peers without funds. */
export const sponsor = defineCommand({
  usage: 'npx waggle sponsor [OPTIONS]',
  about: `Registers peers without funds that join with --sponsor URL, and keeps their accounts supplied with gas as long as they work. It pays from the account of its folder, which needs funds, and never more than its budgets. Runs until Ctrl-C.

WAGGLE_SPONSOR_TOKEN holds an invitation of 16 characters or more: only peers that name it are registered. Without an invitation anybody can get the gas of the first rounds, --hourly times an hour.`,
  own: sponsorSettings,
  peer: { ...peerOnChain, ...feeSettings, ...logSettings },
  async run(settings, _, flags) {
    const config = loadConfig(flags)
    const { deployment, rpcUrl } = openDeployment(config)
    const invitation = environment.sponsorToken()
    if (invitation !== undefined && invitation.length < MIN_INVITATION)
      throw new UsageError(`An invitation needs ${MIN_INVITATION} characters.`, {
        hint: 'Set WAGGLE_SPONSOR_TOKEN to what openssl rand -hex 16 prints, or unset it.',
      })
    const { runSponsor } = await import('#roles/sponsor/runSponsor.ts')
    await runSponsor({
      ...{ data: config.data, deployment, rpcUrl, settings, invitation, fees: pickSettings(config, feeSettings) },
      ...{ clock: systemClock, signal: stopSignal() },
      openLogger: identity =>
        openLog(config, identity, { role: 'sponsor', rpcUrl, secrets: invitation === undefined ? [] : [invitation] }),
    })
  },
})
