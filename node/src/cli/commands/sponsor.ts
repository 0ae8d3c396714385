import { feeSettings } from '#chain/outbox/feeSettings.ts'
import { systemClock } from '#core/clock.ts'
import { INVITATION_LENGTH } from '#roles/sponsor/sponsorProtocol.ts'
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

/** Pays for peers without funds. */
export const sponsor = defineCommand({
  usage: 'npx waggle sponsor [OPTIONS]',
  about: `Registers peers without funds that join with --sponsor URL, and keeps their accounts supplied with gas as long as they work. It pays from the account of its folder, which needs funds, and never more than its budgets. Runs until Ctrl-C.

WAGGLE_SPONSOR_TOKEN holds an invitation of ${INVITATION_LENGTH.min} to ${INVITATION_LENGTH.max} characters: only peers that name it are registered. Without an invitation anybody can get the gas of the first rounds, --hourly times an hour.`,
  own: sponsorSettings,
  peer: { ...peerOnChain, ...feeSettings, ...logSettings },
  async run(settings, _, flags) {
    const config = loadConfig(flags)
    const invitation = environment.sponsorToken()
    const { length = INVITATION_LENGTH.min } = invitation ?? {}
    if (length < INVITATION_LENGTH.min || length > INVITATION_LENGTH.max)
      throw new UsageError(`An invitation has ${INVITATION_LENGTH.min} to ${INVITATION_LENGTH.max} characters.`, {
        hint: 'Set WAGGLE_SPONSOR_TOKEN to what openssl rand -hex 16 prints, or unset it.',
      })
    const { deployment, rpcUrl } = openDeployment(config)
    const { runSponsor } = await import('#roles/sponsor/runSponsor.ts')
    await runSponsor({
      ...{ data: config.data, deployment, rpcUrl, settings, invitation, fees: pickSettings(config, feeSettings) },
      ...{ clock: systemClock, signal: stopSignal() },
      openLogger: identity =>
        openLog(config, identity, { role: 'sponsor', rpcUrl, secrets: invitation === undefined ? [] : [invitation] }),
    })
  },
})
