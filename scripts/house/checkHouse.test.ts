import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checkChangelog } from './checkChangelog.ts'
import { checkClauses } from './checkClauses.ts'
import { checkDecisions } from './checkDecisions.ts'
import { checkFolders } from './checkFolders.ts'
import { checkLayers, pointsUp } from './checkLayers.ts'
import { anchorsOf, checkLinks } from './checkLinks.ts'
import { checkLock } from './checkLock.ts'
import { checkOptions } from './checkOptions.ts'
import { checkPaths } from './checkPaths.ts'
import { checkPhases } from './checkPhases.ts'
import { checkDocuments, checkSources, phrasesToAvoid } from './checkPhrases.ts'
import { checkReadme } from './checkReadme.ts'
import { checkServices } from './checkServices.ts'
import { checkSiblings } from './checkSiblings.ts'
import { checkSizes } from './checkSizes.ts'
import { importGraph } from './importGraph.ts'

const root = mkdtempSync(join(tmpdir(), 'waggle-house-'))
afterAll(() => rmSync(root, { recursive: true }))

test('links and anchors that lead nowhere are found, code is not read', () => {
  const text =
    '# A `b`\n\n[1](a.md) [2](a.md#a-b) [3](gone.md)\n[4](#c) [5](https://x.org/y) `[6](no.md)`\n\n```\n[7](no.md)\n```\n'
  writeFileSync(join(root, 'a.md'), text)
  expect(checkLinks(root, new Map([['a.md', text]]))).toEqual([
    'a.md:3: no such file: gone.md',
    'a.md:4: no such heading: #c',
  ])
})

test('headings have the anchors that GitHub gives them', () =>
  expect([...anchorsOf("# It's 8-bit, e.g. `a_b`\n## Who & what\n## Who & what\n")]).toEqual([
    'its-8-bit-eg-a_b',
    'who--what',
    'who--what-1',
  ]))

const table = [
  '## Phrases to avoid\n\n| avoid | write | except in |\n|---|---|---|',
  '| grue | green | |\n| goes bleen. | turns blue. | |\n| bleen | blue | true bleen, bleen cheese |\n| bench | jury | |\n',
].join('\n')

test('phrases to avoid are found in prose, whatever their case, and nowhere else', () => {
  const text = 'Grue, what goes\nbleen. True\nbleen:\n`grue`, gruesome, [x](a-grue.md), a bench\n'
  const documents = new Map([
    ['CONTRIBUTING.md', table],
    ['a.md', text],
  ])
  expect(checkDocuments(documents)).toEqual([
    "a.md:1: 'Grue': write green",
    "a.md:1: 'goes bleen.': write turns blue.",
    "a.md:4: 'bench': write jury",
  ])
})

test('phrases are found in sources, over the ends of comment lines too', () => {
  const phrases = phrasesToAvoid(new Map([['CONTRIBUTING.md', table]]))
  const source = '/**\n * What goes\n * bleen. */\nconst grue = bench("bleenest: a grue") // see ../grue/x.ts\n'
  expect(checkSources(phrases, new Map([['a/b.ts', source]]))).toEqual([
    "a/b.ts:2: 'goes bleen.': write turns blue.",
    "a/b.ts:4: 'grue': write green",
    "a/b.ts:4: 'grue': write green",
  ])
})

test('titles and comments that begin with a relative clause are found', () => {
  const check = (text: string, path = 'a.ts') => checkClauses(new Map([[path, text]]))
  const titles = (one: string, other: string) => `test('${one}', f)\ndescribe.each([[1, g(2)]])(\n  '${other}', f)\n`
  expect(check(titles('what is sent arrives', 'Whoever asks is told'))).toEqual([
    "a.ts:1: 'what is sent arrives', f)': begin with the subject",
    "a.ts:3: 'Whoever asks is told', f)': begin with the subject",
  ])
  expect(check(titles('a peer asks whoever listens', 'of what it has'))).toEqual([])
  const comments = (one: string, other: string) => `/** ${one}\n * asks. ${one}\n */\n/// @dev ${other}\n`
  expect(check(comments('What it has.', 'Whoever asks is told.'))).toEqual([
    "a.ts:1: 'What it has.': begin with the subject",
    "a.ts:4: 'Whoever asks is told.': begin with the subject",
  ])
  expect(check(comments('A peer who', 'Whatsoever.'))).toEqual([])
  expect(check(comments('What it has.', 'Whoever asks.'), 'contracts/src/A.sol')).toEqual([])
})

test('a README that is too long or full of figures is found', () => {
  const commands = 'npm install && npm run swarm npm install && npm test'
  const figures = (count: number) => `\n## Figures\n\n| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(count)}`
  const check = (text: string) => checkReadme(new Map([['README.md', text]]), 149_945)
  expect(check(`${commands} ${'word '.repeat(1_300)}${figures(10)}`)).toEqual([])
  expect(check(`${commands} ${'word '.repeat(1_400)}${figures(11)}`)).toHaveLength(2)
  expect(check(figures(1))).toHaveLength(2)
  const gas = (told: string) => `${commands}${figures(1)}| gas of all roles together, for each peer | ${told} | any |\n`
  expect(check(gas('149,945'))).toEqual([])
  expect(check(gas('149,222'))).toEqual([
    'README.md: gas of all roles is 149,222, contracts/gas-snapshot.json has 149,945',
  ])
})

test("npx for a peer's service is found: its user does not own the checkout", () => {
  const text = `npx waggle in /opt/waggle\n\n\`\`\`
cd /opt/waggle && npx waggle backup FILE
npx waggle status --data /var/lib/waggle/one
npx waggle status --data DIR
/opt/waggle/node/bin/waggle status
\`\`\`\n`
  expect(checkServices(new Map([['a.md', text]]))).toEqual([
    'a.md:4: npx for a service: write /opt/waggle/node/bin/waggle',
    'a.md:5: npx for a service: write /opt/waggle/node/bin/waggle',
  ])
})

test('a release that fills more than a screen is found, and what is not released yet', () => {
  const release = (title: string, words: number) => `## ${title}\n\n${'- word '.repeat(words / 2)}\n`
  const text = `# Changelog\n\n${release('[Unreleased]', 600)}${release('0.2.0: today', 510)}${release('0.1.0', 490)}`
  expect(checkChangelog(new Map([['CHANGELOG.md', text]]))).toEqual([
    'CHANGELOG.md: 602 words under [Unreleased], at most 500',
    'CHANGELOG.md: 513 words under 0.2.0: today, at most 500',
  ])
})

test('a decision of another form, or outside the index, is found', () => {
  const body = '\n## Context\n\n## Decision\n\n## Consequences\n'
  const index = '| [0001](0001-a.md) | A |\n| [0003](0003-c.md) | C |\n'
  const documents = new Map([
    ['docs/adr/README.md', index],
    ['docs/adr/0001-a.md', `# 0001: A\n${body}`],
    ['docs/adr/0002-b.md', `# 2. B\n${body}`],
    ['docs/adr/0003-c.md', '# 0003: D\n\n## Context\n\n## Decision\n\n## Tried\n'],
  ])
  expect(checkDecisions(documents)).toEqual([
    "docs/adr/0002-b.md:1: expected '# 0002: TITLE'",
    "docs/adr/0003-c.md: not in docs/adr/README.md as '| [0003](0003-c.md) | D |'",
    "docs/adr/0003-c.md: no section '## Consequences'",
    "docs/adr/0003-c.md: move '## Tried' to docs/log",
  ])
})

test('a decision that supersedes another is named by it, and the reverse', () => {
  const record = (number: string, status: string) =>
    `# ${number}: T\n\n${status}\n\n## Context\n\n## Decision\n\n## Consequences\n`
  const documents = new Map([
    [
      'docs/adr/README.md',
      ['0001', '0002', '0003', '0004'].map(number => `| [${number}](${number}-a.md) | T |\n`).join(''),
    ],
    [
      'docs/adr/0001-a.md',
      record('0001', 'Partly superseded by [0002](0002-a.md): its form. Keeps [0004](0004-a.md).'),
    ],
    [
      'docs/adr/0002-a.md',
      record('0002', 'Partly supersedes [0001](0001-a.md): its form. Supersedes [0003](0003-a.md).'),
    ],
    ['docs/adr/0003-a.md', record('0003', 'Superseded by [0004](0004-a.md).')],
    ['docs/adr/0004-a.md', record('0004', 'Builds on [0003](0003-a.md).')],
  ])
  expect(checkDecisions(documents)).toEqual([
    "docs/adr/0003-a.md: expected 'superseded by [0002]' under its title",
    "docs/adr/0004-a.md: expected 'supersedes [0003]' under its title",
  ])
})

const imports = (...targets: string[]) => targets.map(target => `import { a } from '${target}'\n`).join('')

test('imports that point up, or cross layers by a relative path, are found in every package', () => {
  const sources = new Map([
    ['node/src/chain/a/b.ts', imports('#core/hex.ts', '../c.ts', '#p2p/host.ts', '../../core/hex.ts', '#chain/c.ts')],
    ['node/src/cli/d.ts', imports('#roles/startRole.ts', './e.ts')],
    ['node/src/chain/c.ts', "const later = await import('#roles/startRole.ts')\n"],
    ['node/src/odd/a.ts', ''],
    [
      'node/src/environments/a.ts',
      imports('#base/errors.ts', '#rl/trainer.ts', '#engine/op.ts', '@waggle/deployments/abi'),
    ],
    ['node/model/src/base/a.ts', imports('#core/hex.ts', './errors.ts')],
    ['node/model/src/base/a.test.ts', imports('@waggle/model', '../../../test/x.ts', '#rl/trainer.ts')],
    ['node/model/src/rl/a.ts', imports('#base/errors.ts', '../../../src/core/hex.ts', '@waggle/deployments/abi')],
    ['indexer/schema/a.ts', imports('../src/votes.ts', '../rules/weights.ts', '@waggle/node/core/peerName')],
    ['dashboard/src/sources/a.ts', imports('#merge/b.ts', '../chain/c.ts', './d.ts')],
    ['scripts/deploy/a.ts', imports('../swarm/b.ts', '../../deployments/networks.ts')],
    ['contracts/test/a.ts', imports('../../scripts/simulate/b.ts', '../../node/src/market/commitGame.ts')],
    ['contracts/test/a.test.ts', imports('../../scripts/simulate/b.ts')],
    ['deployments/a.ts', imports('@waggle/model/base/random.ts')],
  ])
  expect(checkLayers(importGraph(sources))).toEqual([
    'node/src/chain/a/b.ts:3: node/src/chain may not import node/src/p2p: #p2p/host.ts',
    'node/src/chain/a/b.ts:4: across layers, imports go through the package: ../../core/hex.ts',
    'node/src/chain/a/b.ts:5: within a layer, imports are relative: #chain/c.ts',
    'node/src/chain/c.ts:1: node/src/chain may not import node/src/roles: #roles/startRole.ts',
    'node/src/odd/a.ts: no layer of scripts/house/layers.ts',
    'node/src/environments/a.ts:3: node/src/environments may not import node/model/src/engine: #engine/op.ts',
    'node/src/environments/a.ts:4: node/src/environments may not import deployments: @waggle/deployments/abi',
    'node/model/src/base/a.ts:1: node/model/src/base may not import node/src/core: #core/hex.ts',
    'node/model/src/base/a.test.ts:3: node/model/src/base may not import node/model/src/rl: #rl/trainer.ts',
    'node/model/src/rl/a.ts:2: node/model/src/rl may not import node/src/core: ../../../src/core/hex.ts',
    'node/model/src/rl/a.ts:3: node/model/src/rl may not import deployments: @waggle/deployments/abi',
    'indexer/schema/a.ts:1: indexer/schema may not import indexer/src: ../src/votes.ts',
    'indexer/schema/a.ts:3: indexer/schema may not import node/src/core: @waggle/node/core/peerName',
    'dashboard/src/sources/a.ts:1: dashboard/src/sources may not import dashboard/src/merge: #merge/b.ts',
    'dashboard/src/sources/a.ts:2: across layers, imports go through the package: ../chain/c.ts',
    'scripts/deploy/a.ts:1: scripts/deploy may not import scripts/swarm: ../swarm/b.ts',
    'contracts/test/a.ts:1: contracts/test may not import scripts/simulate: ../../scripts/simulate/b.ts',
    'deployments/a.ts:1: deployments may not import node/model/src/base: @waggle/model/base/random.ts',
  ])
})

test('imports that lead back are found, those of types and of threads too', () => {
  const sources = new Map([
    ['deployments/a.ts', imports('./b.ts')],
    ['deployments/b.ts', "import type { A } from './c.ts'\n"],
    ['deployments/c.ts', "new Worker(new URL('./a.ts', import.meta.url))\n"],
    ['deployments/d.ts', imports('./b.ts')],
  ])
  expect(checkLayers(importGraph(sources))).toEqual([
    'imports lead back: deployments/a.ts -> deployments/b.ts -> deployments/c.ts -> deployments/a.ts',
  ])
})

test('folders that import each other are found, by types too; a folder and its parts, and tests, may', () => {
  const sources = new Map([
    ['deployments/a/one.ts', imports('../b/two.ts', '../ab/five.ts')],
    ['deployments/b/two.ts', ''],
    ['deployments/b/three.ts', "\nimport type { A } from '../a/one.ts'\n"],
    ['deployments/b/two.test.ts', imports('../ab/five.ts')],
    ['deployments/ab/five.ts', imports('../b/two.ts', '../six.ts', './c/seven.ts')],
    ['deployments/ab/c/seven.ts', imports('../eight.ts')],
    ['deployments/ab/eight.ts', ''],
    ['deployments/ab/testOne.ts', imports('../a/one.ts')],
    ['deployments/six.ts', imports('./ab/five.ts')],
    ['hardhat.config.ts', imports('./deployments/six.ts')],
    ['deployments/seven.ts', imports('../hardhat.config.ts')],
  ])
  expect(checkSiblings(importGraph(sources))).toEqual([
    'deployments/a and deployments/b import each other: deployments/a/one.ts:1 and deployments/b/three.ts:2',
  ])
})

test('a table of layers in which an arrow points up is refused', () => {
  const table = [
    { place: 'a', imports: ['b'] },
    { place: 'b', imports: [] },
  ]
  expect(pointsUp(table)).toEqual(['a comes before b, which it imports'])
})

test('a way through too many files, one with a gap, and one whose list is wrong are found', () => {
  const row = (file: string, by = '') => `| [\`${file}\`](../${file}) | it | ${by} |\n`
  const list = (title: string, ...rows: string[]) =>
    `## The life of a ${title}\n\nIt has ${rows.length} files.\n\n${rows.join('')}\n`
  const sources = new Map([
    ['a.ts', "import './b.ts'\nsiblingModule(import.meta, 'd')\nsend(bank.address)\n"],
    ['b.ts', ''],
    ['c.ts', "import './a.ts'\n"],
    ['d.ts', ''],
    ['Bank.sol', 'contract Bank { event Paid(); }'],
    ...Array.from({ length: 51 }, (_, at) => [`m/${at}.ts`, `import './${at + 1}.ts'`] as const),
  ])
  const check = (...lists: string[]) =>
    checkPaths(new Map([['docs/architecture.md', lists.join('')]]), sources, importGraph(sources)).map(finding =>
      finding.replace('docs/architecture.md: ', ''),
    )
  const short = row('a.ts', 'start')
  const bet = list('bet', short, row('b.ts'), row('d.ts'), row('Bank.sol', 'transaction: `bank`'))
  const others = [list('task', short), list('update', short).replace('a update', 'an update'), bet]
  expect(check(list('rollout', short), ...others)).toEqual([])
  const wrong = [row('b.ts'), row('a.ts'), row('c.ts', 'event: `Paid`'), row('gone.ts'), row('b.ts', 'start')]
  expect(check(list('rollout', ...wrong), ...others)).toEqual([
    'lists a file twice under ## The life of a rollout',
    "## The life of a rollout: b.ts is the first: write 'start' in its last column",
    "## The life of a rollout: a.ts is imported by no file before it: write how it is reached, such as 'event: `Settled`'",
    '## The life of a rollout: c.ts is not reached by Paid: it and a file before it have to contain that',
    '## The life of a rollout: gone.ts does not exist',
    "## The life of a rollout: b.ts is imported by a file before it: leave out 'start'",
  ])
  const long = Array.from({ length: 51 }, (_, at) => row(`m/${at}.ts`, at === 0 ? 'start' : ''))
  expect(check(list('rollout', ...long), ...others.slice(0, 2))).toEqual([
    '51 files under ## The life of a rollout, at most 50',
    'lists no file under ## The life of a bet',
    'does not say that ## The life of a bet has 0 files',
  ])
})

test('a folder with too many files is found, whatever tests are in it', () => {
  const files = (count: number, end: string) =>
    Array.from({ length: count }, (_, at) => [`node/src/core/${at}${end}`, ''] as const)
  expect(checkFolders(new Map([...files(25, '.ts'), ...files(30, '.test.ts')]))).toEqual([])
  expect(checkFolders(new Map(files(26, '.ts')))).toEqual([
    'node/src/core: 26 files, at most 25: divide them by subject',
  ])
})

test('a file that is too long is found', () => {
  const lines = (count: number) => 'x\n'.repeat(count)
  const sources = new Map([
    ['node/src/core/a.ts', lines(300)],
    ['node/src/core/b.ts', lines(301)],
    ['node/src/core/b.test.ts', lines(450)],
    ['contracts/test/C.t.sol', lines(451)],
    ['contracts/src/interfaces/IC.sol', lines(350)],
    ['deployments/abi/c.ts', lines(2_000)],
  ])
  expect(checkSizes(sources)).toEqual([
    'node/src/core/b.ts: 301 lines, at most 300: divide it by subject',
    'contracts/test/C.t.sol: 451 lines, at most 450: divide it by subject',
  ])
})

test('an option that no command takes is found in --help and documents, and one that they leave out', () => {
  const stop = {
    usage:
      'npx waggle stop [--gone] [OPTIONS]\n\nEnds what start --role ROLE runs.\n\n  --now               at once, unlike --later\n  --old               no more\n',
    options: ['now', 'hidden'],
  }
  const start = { usage: 'npx waggle start\n\n  --role ROLE\n', options: ['role'] }
  const join = { usage: 'npx waggle join\n\nnpx waggle start --help describes its options.', options: ['role'] }
  const commands = new Map(Object.entries({ stop, start, join }))
  const documents = new Map([
    [
      'a.md',
      '`npx waggle stop --now --wrong`, `npx waggle start --role x`\nnpm run swarm -- --rounds 3 \\\n  --nowhere # --no\nnpx waggle halt\n',
    ],
    ['docs/log/b.md', '`npx waggle stop --gone`'],
  ])
  expect(checkOptions(documents, commands, new Map([['swarm', ['rounds']]]))).toEqual([
    'npx waggle stop --help: --gone does not exist',
    'npx waggle stop --help: --old does not exist',
    'npx waggle stop --help: --hidden is missing',
    'npx waggle stop --hidden: in no document',
    'a.md:4: there is no command halt',
    'a.md:1: stop takes no --wrong',
    'a.md:2: swarm takes no --nowhere',
  ])
})

test('offsets between rounds without a name are found, those to the next round are not', () => {
  const path = 'node/src/chain/a.ts'
  const found = (text: string, at = path) => checkPhases(new Map([[at, text]])).length
  expect(checkPhases(new Map([[path, '\nreadVotes(round + 2)']]))).toEqual([
    `${path}:2: round + 2: name the phase (deployments/protocol.ts)`,
  ])
  expect(found('fromRound: Number(round) + 1,')).toBe(1)
  expect(found('{ fromRound: round + 1, throughRound: openedRound + 3 }')).toBe(2)
  expect(found('{ first: leaf.round - 1 }')).toBe(1)
  expect(found('readSeats(round + 1); x(round - 0.41)')).toBe(0)
  expect(found('round + 2', 'node/src/chain/a.test.ts')).toBe(0)
})

test('an optional package that the lock does not list is found, wherever npm would put it', () => {
  const optionalDependencies = { '@a/b-linux-x64': '1', '@a/b-darwin-arm64': '1' }
  const parent = 'node_modules/d/node_modules/b'
  const packages = { [parent]: { optionalDependencies }, 'node_modules/d/node_modules/@a/b-linux-x64': {} }
  const lock = (more: object) => JSON.stringify({ packages: { ...packages, ...more } })
  expect(checkLock(lock({ 'node_modules/@a/b-darwin-arm64': {} }))).toEqual([])
  expect(checkLock(lock({}))).toEqual([
    `package-lock.json: @a/b-darwin-arm64, which ${parent} needs on another system, is not listed`,
  ])
})
