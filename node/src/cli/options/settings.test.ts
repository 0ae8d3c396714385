import { expect, test } from 'vitest'
import { networkSettings } from '#p2p/networkConfig.ts'
import { roleSettings } from '#roles/roleSettings.ts'
import { loadConfig } from './config.ts'
import { describeSettings, optionRows, optionsOf, pickSettings, type Settings } from './settingOptions.ts'
import { peerSettings } from './settings.ts'

const doNotMigrate = () => {}

test('docs/settings.md lists every setting, with its option, its default and what it does', async () => {
  const rows = describeSettings(peerSettings).map(({ name, option, value, description, default: usual }) => {
    const typed = `\`--${option}${value === undefined ? '' : ` ${value}`}\``
    return `| \`${name}\` | ${typed} | ${usual === undefined ? '' : `\`${usual}\``} | ${description} |`
  })
  const page = `# Settings of a peer

\`npx waggle start\` takes each of these as an option. In \`DIR/waggle.yaml\` the same settings stand one a line, such as \`role: solver\`; a
setting whose option may be repeated is a list there. Options come before the file, and the file before the environment and the defaults.

| setting | option | default | |
|---|---|---|---|
${rows.join('\n')}
`
  await expect(page).toMatchFileSnapshot('../../../../docs/settings.md')
})

test('--help names every setting with its default', () => {
  const rows = optionRows(peerSettings)
  expect(rows).toContainEqual({
    name: '--demands N',
    text: `${roleSettings.demands.meta()?.description} (default 0)`,
  })
  expect(rows).toContainEqual({ name: '--upnp', text: 'ask the router for an open port' })
  expect(rows).toHaveLength(Object.keys(peerSettings).length)
})

test('--help names the roles that read a setting, unless the command has no role', () => {
  const { role, bases, level } = peerSettings
  const texts = (settings: Settings) => optionRows(settings).map(({ text }) => text)
  const [, ofBases] = texts({ role, bases })
  expect(ofBases).toMatch(/^evaluator, auditor: another of /)
  const [bare, ofLevel] = texts({ bases, level })
  expect(`evaluator, auditor: ${bare}`).toBe(ofBases)
  expect(ofLevel).toMatch(/^hold the difficulty /)
})

test('a list may be repeated, a switch takes no value, and an option may have its own name', () => {
  expect(optionsOf(networkSettings)).toMatchObject({
    bootnode: { type: 'string', multiple: true },
    mdns: { type: 'boolean' },
    'target-peers': { type: 'string' },
  })
})

test('a part of the peer gets its own settings, under the names of its code', () => {
  const config = loadConfig({ data: '.', 'target-peers': '7', bootnode: ['/ip4/127.0.0.1/tcp/1'] }, doNotMigrate)
  expect(pickSettings(config, networkSettings)).toMatchObject({
    targetPeers: 7,
    maxConnections: 128,
    bootnodes: ['/ip4/127.0.0.1/tcp/1'],
  })
  expect(Object.keys(pickSettings(config, roleSettings))).not.toContain('targetPeers')
})

test('a wrong setting is named as it was written: an option with its dashes', () => {
  const load = () => loadConfig({ data: '.', bootnode: ['here'] }, doNotMigrate)
  expect(load).toThrow('Bad option: --bootnode is not a TCP multiaddr')
})
