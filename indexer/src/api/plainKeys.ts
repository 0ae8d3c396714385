import { type ArgumentNode, type DocumentNode, Kind, type ObjectFieldNode, type ValueNode, visit } from 'graphql'
import { keccak256, stringToBytes } from 'viem'

/** Keys of the peers with this name, two at most. */
export type FindKeys = (name: string) => Promise<readonly string[]>

const KEY_FIELD = /^(peer|evaluator|proposer|seat)Key(_not)?(_in)?$/
const PEER_ID = /^(16Uiu2HA|12D3Koo)[1-9A-HJ-NP-Za-km-z]{40,52}$/
const NAME = /^[a-z]+ [a-z]+ [a-z]+$/
/** An address, or a key or hash. */
const HEX = /^0x([0-9a-f]{40}|[0-9a-f]{64})$/i

/** Names that are looked up for one question. */
const MAX_NAMES = 20

type Variables = Record<string, unknown>
export type Question = { document: DocumentNode; variables: Variables }

/**
 * Rewrites a query for the tables: addresses and keys in lower case, and a peer's id or name replaced by its key. A name of no peer, or
 * of several, stays, so that nothing is found.
 */
export async function plainKeys({ document, variables }: Question, findKeys: FindKeys): Promise<Question> {
  const { asKeys, isPlain } = traitsOf(document)
  const names = new Set<string>()
  const note = (text: string) => {
    if (NAME.test(text) && names.size < MAX_NAMES) names.add(text)
    return text
  }
  const rewrite = (ofKey: OfKey) => ({
    document: isPlain ? document : rewriteDocument(document, ofKey),
    variables: rewriteVariables(variables, asKeys, ofKey),
  })
  rewrite(note)
  const found = new Map<string, string>()
  for (const name of names) {
    const keys = await findKeys(name)
    if (keys.length === 1) found.set(name, keys[0] as string)
  }
  return rewrite(text => (PEER_ID.test(text) ? keccak256(stringToBytes(text)) : (found.get(text) ?? text)))
}

type Named = ArgumentNode | ObjectFieldNode
const isNamed = (node: { kind: string }): node is Named =>
  node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD

/** Variables that stand where a peer's key is asked for. */
function keyVariables(document: DocumentNode): ReadonlySet<string> {
  const names = new Set<string>()
  visit(document, {
    enter(node) {
      if (!isNamed(node) || !KEY_FIELD.test(node.name.value)) return
      visit(node.value, { Variable: ({ name }) => void names.add(name.value) })
    },
  })
  return names
}

interface Traits {
  asKeys: ReadonlySet<string>
  /** It holds no text to rewrite: the pages' own questions have theirs in variables. */
  isPlain: boolean
}

const known = new WeakMap<DocumentNode, Traits>()

function traitsOf(document: DocumentNode): Traits {
  const found = known.get(document)
  if (found !== undefined) return found
  let isPlain = true
  visit(document, {
    StringValue({ value }) {
      if (HEX.test(value) || PEER_ID.test(value) || NAME.test(value)) isPlain = false
    },
  })
  const traits = { asKeys: keyVariables(document), isPlain }
  known.set(document, traits)
  return traits
}

/** Gives the text that stands for a key. */
type OfKey = (text: string) => string

function plain(text: string, isKey: boolean, ofKey: OfKey): string {
  const told = isKey ? ofKey(text) : text
  return HEX.test(told) ? told.toLowerCase() : told
}

function rewriteDocument(document: DocumentNode, ofKey: OfKey): DocumentNode {
  const inValue = (value: ValueNode, isKey: boolean): ValueNode =>
    visit(value, {
      StringValue: node => ({ ...node, value: plain(node.value, isKey, ofKey) }),
    })
  return visit(document, {
    // From the inside out: a key's own text is rewritten before the arguments around it.
    leave: node =>
      isNamed(node) ? { ...node, value: inValue(node.value, KEY_FIELD.test(node.name.value)) } : undefined,
  })
}

function rewriteVariables(variables: Variables, asKeys: ReadonlySet<string>, ofKey: OfKey): Variables {
  const inVariable = (value: unknown, isKey: boolean): unknown => {
    if (typeof value === 'string') return plain(value, isKey, ofKey)
    if (Array.isArray(value)) return value.map(one => inVariable(one, isKey))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inVariable(one, KEY_FIELD.test(key))]))
  }
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, inVariable(value, asKeys.has(name))]),
  )
}
