import { getIntrospectionQuery, parse } from 'graphql'
import { expect, test } from 'vitest'
import { MAX_DEPTH, questionCost } from '../src/api/questionCost.ts'

const fault = (query: string, variables = {}) => {
  const cost = questionCost(parse(query), variables)
  return typeof cost === 'string' ? cost : null
}

test('a question may ask for lists, each within another, up to a number of rows', () => {
  expect(fault('{ standings(limit: 1000) { items { rank peer { name } } } }')).toBeNull()
  expect(fault('{ peers(limit: 1000) { items { settlements(limit: 20) { items { round } } } } }')).toBeNull()
  expect(fault('{ peers(limit: 1000) { items { settlements { items { round } } } } }')).toMatch(/up to 51000 rows/)
  expect(
    fault('query Q($n: Int) { peers(limit: $n) { items { settlements(limit: $n) { items { round } } } } }', { n: 300 }),
  ).toMatch(/rows/)
  expect(
    fault('query Q($n: Int) { peers(limit: $n) { items { settlements(limit: $n) { items { round } } } } }', { n: 30 }),
  ).toBeNull()
})

test('a missing limit counts as the maximum', () => {
  const nested = (limit: string) =>
    `query Q($n: Int) { peers(limit: ${limit}) { items { settlements(limit: 60) { items { round } } } } }`
  for (const limit of ['-1', '1000000', '$n', '$other'])
    expect(fault(nested(limit), { n: 'many' }), limit).toMatch(/rows/)
})

test('fragments count as what they stand for, and cost no time', () => {
  const all =
    'query { peers(limit: 1000) { ...A } } fragment A on peerPage { items { settlements { ...B } } } fragment B on settlementPage { items { round } }'
  expect(fault(all)).toMatch(/up to 51000 rows/)
  const doubling = Array.from({ length: 40 }, (_, at) => `fragment F${at} on peer { ...F${at + 1} ...F${at + 1} }`)
  expect(fault(`query { peer(peerKey: "0x") { ...F0 } } ${doubling.join(' ')} fragment F40 on peer { name }`)).toMatch(
    /more than 2000 fields/,
  )
  expect(fault('query { peer(peerKey: "0x") { ...F } } fragment F on peer { ...F name }')).toBeNull()
})

test('a question is so deep at most, and may ask for the schema', () => {
  const deep = (levels: number) => `{ ${'peer { '.repeat(levels)} name ${'} '.repeat(levels)} }`
  expect(fault(deep(MAX_DEPTH - 1))).toBeNull()
  expect(fault(deep(MAX_DEPTH))).toMatch(/deep/)
  expect(fault(`{ __schema ${'{ ofType '.repeat(14)} { name } ${'} '.repeat(14)} }`)).toBeNull()
})

test('a list costs its rows, whatever is asked of it', () => {
  for (const page of ['pageInfo { hasNextPage }', 'totalCount', '__typename', 'p: pageInfo { endCursor } __typename'])
    expect(fault(`{ peers(limit: 1000) { items { settlements(limit: 1000) { ${page} } } } }`), page).toMatch(/rows/)
})

test('lists of many rows are so many statements at most, however few rows each has', () => {
  const lists = (count: number, of: string) => Array.from({ length: count }, (_, at) => `c${at}: ${of}`).join(' ')
  const asked = (peers: number, within: string) => `{ peers(limit: ${peers}) { items { ${within} } } }`
  expect(fault(asked(1000, lists(1, 'settlements(limit: 1) { items { round } }')))).toBeNull()
  expect(fault(asked(1000, lists(2, 'settlements(limit: 1) { items { round } }')))).toMatch(/up to 2001 lists/)
  expect(fault(asked(1000, lists(30, 'settlements(limit: 0) { totalCount }')))).toMatch(/up to 60001 lists/)
  expect(fault(asked(20, lists(29, 'settlements(limit: 0) { totalCount }')))).toBeNull()
})

test('filters have so many conditions at most, and are so deep, in the text or in variables', () => {
  const inText = (where: string) => fault(`{ peers(where: ${where}) { items { name } } }`)
  const inVariable = (w: unknown) => fault('query Q($w: peerFilter) { peers(where: $w) { items { name } } }', { w })
  const wide = (count: number, key = 'name') => Array.from({ length: count }, (_, at) => ({ [key]: `x${at}` }))
  expect(inVariable({ OR: wide(100) })).toBeNull()
  expect(inVariable({ OR: wide(101) })).toMatch(/more than 100 conditions/)
  expect(inVariable({ OR: wide(6, 'name_not_contains') })).toBeNull()
  expect(inVariable({ OR: wide(7, 'name_not_contains') })).toMatch(/more than 6 texts/)
  expect(inVariable({ peerKey_in: Array.from({ length: 450 }, () => '0x01') })).toBeNull()
  expect(inVariable({ OR: wide(6, 'name_not_contains') })).toBeNull()
  expect(inVariable({ OR: wide(7, 'name_not_contains') })).toMatch(/more than 6 texts/)
  expect(inVariable({ peerKey_in: Array.from({ length: 2_000 }, () => '0x01') })).toMatch(/conditions/)
  const deep = (levels: number): unknown => (levels === 0 ? { name: 'x' } : { OR: [deep(levels - 1)] })
  expect(inVariable(deep(5))).toBeNull()
  expect(inVariable(deep(6))).toMatch(/6 deep/)
  expect(inVariable(deep(2_000))).toMatch(/6 deep/)
  expect(inText(`${'{ AND: '.repeat(6)}{ name: "x" }${' }'.repeat(6)}`)).toMatch(/6 deep/)
  expect(inText('{ name_contains_nocase: "otter", OR: { name: "x" } }')).toBeNull()
  expect(inText(`{ name_ends_with: "${'%a'.repeat(101)}" }`)).toMatch(/200 characters/)
  const defaulted = (w: string) => fault(`query Q($w: peerFilter = ${w}) { peers(where: $w) { items { name } } }`)
  expect(defaulted(`${'{ OR: '.repeat(6)}{ name: "x" }${' }'.repeat(6)}`)).toMatch(/6 deep/)
  expect(defaulted(`{ name_ends_with: "${'%a'.repeat(101)}" }`)).toMatch(/200 characters/)
  for (const odd of [null, 'x', [], 7]) expect(inVariable(odd)).toBeNull()
})

test('views of all rounds are asked for by round or key, at the top of a question', () => {
  for (const where of [
    '',
    '(where: {})',
    '(where: { scoreMilli: 1 })',
    '(where: { OR: [{ round: 1 }] })',
    '(where: { round: null })',
  ])
    expect(fault(`{ votes${where} { items { scoreMilli } } }`), where).toMatch(/names round or peerKey or evaluatorKey/)
  for (const where of ['round: 1', 'peerKey_in: ["0x"]', 'AND: [{ evaluatorKey: "0x" }]', 'round: $round'])
    expect(fault(`query Q($round: Int) { votes(where: { ${where} }) { totalCount } }`, { round: 3 }), where).toBeNull()
  expect(fault('query { ...F } fragment F on Query { earnings { totalCount } }')).toMatch(/A list of earnings names/)
  expect(fault('{ purses { items { earnedWei } } }')).toMatch(/A list of purses names peerKey/)
  expect(fault('{ peerStandings { items { rank } } }')).toMatch(/A list of peerStandings names peerKey/)
  expect(fault('{ peer(peerKey: "0x") { earnings { totalCount } } }')).toBeNull()
})

test('a view costs a list for each round or key that it names, and as many again for its number of rows', () => {
  const cost = (list: string, variables = {}) =>
    questionCost(parse(`query Q($r: [Int], $k: [String]) { ${list} }`), variables)
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)
  const keys = numbers(450).map(at => `0x${at}`)
  expect(cost('earnings(where: { round: 7 }) { totalCount items { round } }')).toMatchObject({ reads: 2 })
  expect(cost('votes(where: { round_in: $r }) { items { round } }', { r: numbers(60) })).toMatchObject({ reads: 60 })
  expect(cost('purses(where: { peerKey_in: $k }) { items { name } }', { k: keys })).toMatchObject({ reads: 450 })
  expect(cost('peerStandings(where: { peerKey_in: $k }) { totalCount }', { k: keys })).toMatchObject({ reads: 900 })
  const sorted =
    'earnings(where: { round_in: $r }, orderBy: "amountWei", limit: 1000) { totalCount items { amountWei } }'
  expect(cost(sorted, { r: numbers(1_900) })).toMatch(/up to 3800 lists, 1200 at most: .* fewer rounds or keys/)
  // The shortest of the lists that must all hold.
  const both = 'votes(where: { AND: [{ peerKey_in: $k }], round_in: $r }) { items { round } }'
  expect(cost(both, { k: keys, r: [1, 2] })).toMatchObject({ reads: 2 })
  expect(cost('earnings(where: { round_in: $r }) { items { round } }', { r: [] })).toMatchObject({ reads: 1 })
  expect(cost('earnings(where: { round_in: $r }) { items { round } }')).toMatch(/names round or peerKey/)
  expect(cost('peers(where: { peerKey_in: $k }) { items { name } }', { k: keys })).toMatchObject({ reads: 1 })
})

test('a list of a large table without an index is a large question, and one by a key or in order is not', () => {
  const reads = (list: string, variables = {}) => questionCost(parse(`query Q($w: filter) { ${list} }`), variables)
  for (const list of [
    'feedItems(orderBy: "id", orderDirection: "desc", where: { id_gt: "7" }) { items { id } }',
    'feedItems(after: "x") { items { id } }',
    'settlements(limit: 1) { items { round } }',
    'settlements(where: { peerKey: "0x", scoreMilli_gt: 3 }, orderBy: "scoreMilli") { items { round } }',
    'scoreStates(where: { AND: [{ round: 3 }], state: "final" }) { items { round } }',
    'standings(where: { rank_gt: 20, rank_lte: 40 }, orderBy: "rank") { items { rank } }',
    'standings(where: { rank_lte: 100 }, orderBy: "name") { items { rank } }',
    'peers(where: { name_contains: "x" }, orderBy: "claimedWei") { items { name } }',
  ])
    expect(reads(list), list).toMatchObject({ reads: 1 })
  for (const list of [
    'feedItems(orderBy: "transactionHash", limit: 1) { items { id } }',
    'feedItems(orderBy: "peerKey") { items { id } }',
    'feedItems(where: { id_contains: "x" }) { items { id } }',
    'feedItems(offset: 5000) { items { id } }',
    'feedItems(where: { peerKey: null }) { items { id } }',
    'settlements(where: { transactionHash: "0x00" }) { items { round } }',
    'settlements(where: { round_gt: 0, scoreMilli: 1 }) { items { round } }',
    'settlements(where: { OR: [{ round: 1 }] }) { items { round } }',
    'settlements(where: $w) { items { round } }',
    'settlements(orderBy: $w) { items { round } }',
    'settlements(offset: $w) { items { round } }',
    'settlements(after: "x") { items { round } }',
    'scoreStates(where: { state: "contested" }) { items { round } }',
    'standings(orderBy: "compensationWei", limit: 1) { items { rank } }',
    'standings(where: { OR: [{ contestedRounds_gt: 0 }] }) { items { rank } }',
    'standings(orderBy: "rank", limit: 1) { items { rank } }',
    'standings(orderBy: "rank", limit: 1, offset: 4999) { items { rank } }',
    'standings(orderBy: "name", limit: 1) { items { rank } }',
    'standings(where: { pointsMilli_gt: "0" }) { items { rank } }',
    'standings(where: { name_not_contains: "x" }) { items { rank } }',
    'standings(where: { OR: [{ name: "x" }, { rank_gt: 0 }] }) { items { rank } }',
    'standings(where: { OR: [{ rank_lte: 5 }, {}] }) { items { rank } }',
    'standings(where: { rank_lte: null }) { items { rank } }',
    'standings(where: { rank_lte: $w }) { items { rank } }',
    'standings(orderBy: $w, limit: 1) { items { rank } }',
    'standings(where: $w) { items { rank } }',
  ])
    expect(reads(list), list).toMatchObject({ reads: 101 })
  expect(reads('feedItems(limit: 0) { totalCount }')).toMatchObject({ reads: 102 })
  for (const where of [
    'name_contains: "x"',
    'AND: [{ peerKey: "0x" }]',
    'OR: [{ name: "x" }, { account_contains: "x" }]',
  ])
    expect(reads(`standings(where: { ${where} }) { items { rank } }`), where).toMatchObject({ reads: 10 })
  for (const [from, to, count] of [
    [0, 1000, 10],
    [4000, 5000, 10],
    [19_980, 20_000, 20],
    [0, 1_000_000, 101],
  ])
    expect(reads('standings(where: $w) { items { rank } }', { w: { rank_gt: from, rank_lte: to } })).toMatchObject({
      reads: count,
    })
  expect(reads('settlements(where: { peerKey_in: ["a", "b"] }) { totalCount }')).toMatchObject({ reads: 4 })
})

test('texts of tasks are searched within a round, however the filter is given', () => {
  const asked = (where: string, w?: unknown, variable = '$w: taskFilter') =>
    fault(`query Q(${variable}) { tasks(where: ${where}) { totalCount } }`, w === undefined ? {} : { w })
  for (const where of [
    '{ text_contains: "x" }',
    '{ peerKey: "0x", OR: [{ text_not_ends_with: "x" }] }',
    '{ text: "x" }',
    '{ text_contains: "x", round_in: [1] }',
    '{ AND: [{ round_in: [1, 2] }], text_contains: "x" }',
  ])
    expect(asked(where), where).toMatch(/A list of tasks names one round/)
  expect(asked('$w', { text_contains: 'x' })).toMatch(/names one round/)
  expect(asked('$w', { text_contains: 'x', round_in: Array.from({ length: 1840 }, (_, at) => at) })).toMatch(
    /names one round/,
  )
  expect(asked('$w', undefined, '$w: taskFilter = { text_contains: "x" }')).toMatch(/names one round/)
  expect(asked('{ round_in: [1, 2] }')).toBeNull()
  expect(asked('$w', { round: 3, text_contains: 'x' })).toBeNull()
  expect(asked('{ peerKey: "0x" }')).toBeNull()
  expect(
    fault('{ tasks { totalCount } round(number: 3) { tasks(where: { text_contains: "x" }) { totalCount } } }'),
  ).toBeNull()
})

test('a row of a view that another row leads to is a statement for each', () => {
  expect(fault('{ peers(limit: 1000) { items { purse { earnedWei } } } }')).toBeNull()
  expect(fault('{ peers(limit: 1000) { items { purse { earnedWei } standing { rank } } } }')).toMatch(/2001 lists/)
})

test('fields have thirty other names at most, which would each be a statement or none that is counted', () => {
  const named = (count: number, of: string) =>
    `{ ${Array.from({ length: count }, (_, at) => `a${at}: ${of}`).join(' ')} }`
  for (const of of ['_meta { status }', 'peer(peerKey: "0x") { name }', '__typename']) {
    expect(fault(named(30, of)), of).toBeNull()
    expect(fault(named(31, of)), of).toMatch(/more than 30/)
  }
  expect(fault(named(1_000, '__type(name: "peer") { name }'))).toMatch(/more than/)
})

test('the schema may be asked for as tools do, and not the fields of types of fields', () => {
  expect(fault(getIntrospectionQuery())).toBeNull()
  const fragments = Array.from(
    { length: 9 },
    (_, at) => `fragment F${at} on __Type { fields { type { ...F${at + 1} ofType { ofType { ...F${at + 1} } } } } }`,
  )
  const last = 'fragment F9 on __Type { name }'
  expect(fault(`{ __schema { types { ...F0 } } } ${fragments.join(' ')} ${last}`)).toMatch(/types within types/)
  for (const list of ['fields', 'inputFields', 'interfaces', 'possibleTypes'])
    expect(fault(`{ __type(name: "peer") { fields { type { a: ${list} { name } } } } }`), list).toMatch(/types/)
})
