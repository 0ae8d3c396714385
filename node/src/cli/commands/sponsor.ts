import { systemClock } from '#core/clock.ts'
import { sponsorSettings, sponsorSettingsSchema } from '#roles/sponsor/sponsorSettings.ts'
import type { Command, Values } from '../command.ts'
import { environment } from '../environment.ts'
import { logOptions, logUsage, openLog } from '../openLog.ts'
import { loadConfig } from '../options/config.ts'
import { dataOption, dataUsage, networkOptions, networkUsage, openDeployment } from '../options/networkOptions.ts'
import { optionsOf, usageOf } from '../options/settingOptions.ts'
import { settingProblem } from '../options/settingProblem.ts'
import { stopSignal } from '../untilInterrupted.ts'
import { UsageError } from '../usageError.ts'

/** Anybody may guess, as often as the server answers. */
const MIN_INVITATION = 16

/** Pays for peers without funds. */
export const sponsor: Command = {
  usage: `npx waggle sponsor [OPTIONS]

Registers peers without funds, which join with --sponsor URL, and keeps their accounts supplied with gas for as long as they work. It
pays from the account of its folder, which needs funds, and never more than its budgets. Runs until Ctrl-C.

WAGGLE_SPONSOR_TOKEN holds an invitation of 16 characters or more: only peers that name it are registered. Without an invitation
anybody can get the gas of the first rounds, --hourly times an hour.

${dataUsage}
${networkUsage}
${usageOf(sponsorSettings)}
${logUsage}`,
  options: { ...dataOption, ...networkOptions, ...optionsOf(sponsorSettings), ...logOptions },
  async run(values) {
    const [own, rest] = divided(values)
    const config = loadConfig(rest)
    const settings = settingsOf(own)
    const { deployment, rpcUrl } = openDeployment(config)
    const invitation = environment.sponsorToken()
    if (invitation !== undefined && invitation.length < MIN_INVITATION)
      throw new UsageError(`An invitation needs ${MIN_INVITATION} characters.`, {
        hint: 'Set WAGGLE_SPONSOR_TOKEN to what openssl rand -hex 16 prints, or unset it.',
      })
    const { runSponsor } = await import('#roles/sponsor/runSponsor.ts')
    await runSponsor({
      ...{ data: config.data, deployment, rpcUrl, settings, invitation },
      ...{ clock: systemClock, signal: stopSignal() },
      openLogger: identity =>
        openLog(config, identity, { role: 'sponsor', rpcUrl, secrets: invitation === undefined ? [] : [invitation] }),
    })
  },
}

/** Its own settings, and those that every command has. */
function divided(values: Values): [Values, Values] {
  const isOwn = ([name]: [string, unknown]) => Object.hasOwn(sponsorSettings, name)
  const entries = Object.entries(values)
  return [Object.fromEntries(entries.filter(isOwn)), Object.fromEntries(entries.filter(one => !isOwn(one)))]
}

function settingsOf(own: Values) {
  const parsed = sponsorSettingsSchema.safeParse(own)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(issue =>
    settingProblem(`--${String(issue.path[0])}`, issue, own[String(issue.path[0])]),
  )
  throw new UsageError(`Bad option: ${problems.join('; ')}.`, { hint: 'See npx waggle sponsor --help.' })
}
