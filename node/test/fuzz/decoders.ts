import { createHash } from 'node:crypto'
import * as dagCbor from '@ipld/dag-cbor'
import type { Stream } from '@libp2p/interface'
import { UNAVAILABLE } from '@waggle/deployments/protocol'
import { base58btc } from 'multiformats/bases/base58'
import { CanonicalError } from '#core/canonical.ts'
import type { Hex } from '#core/hex.ts'
import {
  encodeCanaryBundle,
  encodeRolloutBundle,
  encodeScoreSheet,
  type Payloads,
  payloadsHere,
} from '#core/payloads/payloads.ts'
import { decodeProposal, encodeProposal } from '#core/payloads/taskProposal.ts'
import { faultOfBootnode } from '../../src/p2p/connections/bootnodeAddress.ts'
import { checkAddresses, encodeAddresses } from '../../src/p2p/gossip/addressAnnouncement.ts'
import { checkAnnouncement, encodeAnnouncement } from '../../src/p2p/gossip/announcement.ts'
import { verifyPeerSignature } from '../../src/p2p/gossip/messageSignatures.ts'
import { decodeSigned, encodeSigned } from '../../src/p2p/gossip/signedMessage.ts'
import type { Verdict } from '../../src/p2p/gossip/verdict.ts'
import { compactOf, derOf } from '../../src/p2p/keys/ecdsaSignature.ts'
import { peerPublicKey } from '../../src/p2p/keys/peerPublicKey.ts'
import { dialable } from '../../src/p2p/membership/dialable.ts'
import { StreamError } from '../../src/p2p/streams/streamError.ts'
import { createStreamReader } from '../../src/p2p/streams/streamReader.ts'
import {
  decodeHeader,
  decodeRequest,
  encodeHeader,
  encodeRequest,
  MAX_FRAME_BYTES,
} from '../../src/p2p/transfer/fetchProtocol.ts'
import { decodeSyncRequest, encodeSyncRequest, missingFrom } from '../../src/p2p/transfer/syncProtocol.ts'
import { contents } from './contents.ts'
import type { Decoder } from './decoder.ts'

/** The peer of the private key 1: the generator of secp256k1. */
const POINT = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
const PEER_BYTES = Uint8Array.from(Buffer.from(`002508021221${POINT}`, 'hex'))
const PEER = base58btc.encode(PEER_BYTES).slice(1)
/** libp2p's protobuf of an RSA public key of 2048 bits. */
const RSA_KEY = Uint8Array.from(
  Buffer.from(
    [
      'CAASpgIwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQDMPEqPgVlFEYCjVVoXD7PDs+cymeKhI8dRNseFUPsGaQbq2kef',
      'bnCZysFQYFLF6BGVs9SfSnSOXvResW1IgAeO4bBfZuqGecFRHa8x6l2iZj/3lt0eB5s2Yfz2bbudQCeCg+ukYThlm32JO+U5zv1+',
      'Bf3WKP0X3pSYFJQg8v3KAGZFi0pRziR76w9j46If/UrjNrNvn3tMDnj3JYSFVa2c8X+zJ4+Qi+SKXNRlU0do6DT7YCz+Jx6h8MYD',
      'k0mI2zTtksXd+R1yhoNAHO0zyyFOQViEhGD7RY8sHJTgI5V1BMaeutL+00IBgA0SSAyFvaPWeOfqjgczUykIPsFRjgRdAgMBAAE=',
    ].join(''),
    'base64',
  ),
)
const CHAIN_ID = 31_337
const word = (byte: string): Hex => `0x${byte.repeat(32)}`
const tokens = (...ids: number[]) => new Uint8Array(Uint16Array.from(ids).buffer)
const header = { v: 1 as const, chainId: CHAIN_ID, round: 4, peerKey: word('01'), policyHash: word('02') }

const rollout = (index: number) => ({
  ...{ index, promptTokens: tokens(1, 2), completionTokens: tokens(3, 4), ended: true, seed: word('05') },
  ...{ logprobs: new Uint8Array(Float32Array.of(-0.5, -1).buffer), sampling: { temperature: 1, maxNewTokens: 96 } },
})
const taskRef = { peerKey: word('01'), index: 0 }
const leaves = [{ index: 0, components: { parses: 1000, ends: -200 }, scoreMilli: 400 }]

const seeds = {
  rollouts: encodeRolloutBundle({ ...header, groups: [{ taskRef, rollouts: [rollout(0), rollout(1)] }] }),
  scores: encodeScoreSheet({
    ...{ v: 1, chainId: CHAIN_ID, round: 4, evaluatorKey: word('08') },
    peers: [
      { peerKey: word('01'), scoreMilli: 400, leaves },
      { peerKey: word('02'), scoreMilli: UNAVAILABLE, leaves: [] },
    ],
  }),
  canary: encodeCanaryBundle({
    ...{ ...header, level: 3, seed: word('09') },
    samples: [{ task: 0, sample: 0, completionTokens: tokens(3), ended: true, scoreMilli: 900, passed: null }],
  }),
  announcement: encodeAnnouncement({
    ...{ v: 1, kind: 'rollouts', chainId: CHAIN_ID, round: 4, peerId: PEER, contentId: word('03'), root: word('04') },
    ...{ count: 8, policyHash: word('02'), size: 1000 },
  }),
  addresses: encodeAddresses({
    ...{ v: 1, kind: 'addresses', chainId: CHAIN_ID, peerId: PEER },
    multiaddrs: [`/ip4/127.0.0.1/tcp/4001/p2p/${PEER}`, `/dns4/x.example/tcp/4001/ws/p2p/${PEER}`],
  }),
} as const

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')
const message = {
  ...{
    from: PEER,
    sequence: new Uint8Array(8),
    topic: `/waggle/${CHAIN_ID}/0123abcd/rollouts`,
    data: seeds.announcement,
  },
  ...{ signature: new Uint8Array(70), key: new Uint8Array(0) },
}

/** Every decoder and validator of what peers send. What its module decodes with is of no interest here. */
export const decoders: Record<string, Decoder> = {
  rollouts: payload('rollouts', 'core/payloads/rolloutBundle.ts'),
  scores: payload('scores', 'core/payloads/scoreSheet.ts'),
  canary: payload('canary', 'core/payloads/canaryBundle.ts'),
  proposal: {
    module: 'core/payloads/taskProposal.ts',
    seeds: [encodeProposal({ level: 3, texts: ['def f(x): ...\nassert f(1) == 2', ''] })],
    run: bytes => decodeProposal(bytes) !== null,
  },
  announcement: {
    module: 'p2p/gossip/announcement.ts',
    seeds: [seeds.announcement],
    run: bytes =>
      same(bytes, checkAnnouncement(bytes, PEER, { kind: 'rollouts', chainId: CHAIN_ID }), encodeAnnouncement),
  },
  addresses: {
    module: 'p2p/gossip/addressAnnouncement.ts',
    seeds: [seeds.addresses],
    run(bytes) {
      const checked = checkAddresses(bytes, PEER, CHAIN_ID)
      if (checked.verdict === 'accept') dialable(checked.value.multiaddrs, [], false)
      return same(bytes, checked, encodeAddresses)
    },
  },
  signedMessage: {
    module: 'p2p/gossip/signedMessage.ts',
    seeds: [encodeSigned(message).bytes],
    run: bytes => decoded(bytes, decodeSigned, value => dagCbor.encode(omitDerived(value))),
  },
  syncRequest: {
    module: 'p2p/transfer/syncProtocol.ts',
    seeds: [encodeSyncRequest({ v: 1, from: 1, to: 4, first: 0, last: 2 ** 47, have: new Uint8Array(32) })],
    run: bytes =>
      decoded(bytes, decodeSyncRequest, value => {
        missingFrom(value, [encodeSigned(message)])
        return encodeSyncRequest(value)
      }),
  },
  fetchRequest: {
    module: 'p2p/transfer/fetchProtocol.ts',
    seeds: [encodeRequest({ v: 1, contentId: word('03'), maxBytes: 1000 })],
    run: bytes => decoded(bytes, decodeRequest, encodeRequest),
  },
  fetchHeader: {
    module: 'p2p/transfer/fetchProtocol.ts',
    seeds: [encodeHeader({ v: 1, status: 'ok', size: 1000 })],
    run: bytes => decoded(bytes, decodeHeader, encodeHeader),
  },
  bootnodeAddress: {
    module: 'p2p/connections/bootnodeAddress.ts',
    seeds: [Buffer.from(`/ip4/203.0.113.7/tcp/4001/p2p/${PEER}`)],
    run: bytes => faultOfBootnode(text(bytes), false) === null,
  },
  peerId: {
    module: 'p2p/keys/peerPublicKey.ts',
    seeds: [Buffer.from(PEER)],
    run: bytes => peerPublicKey(text(bytes), new Uint8Array(0)) !== null,
  },
  peerIdBytes: {
    module: 'p2p/keys/peerPublicKey.ts',
    seeds: [PEER_BYTES],
    run: bytes => peerPublicKey(base58btc.encode(bytes.subarray(0, 48)).slice(1), new Uint8Array(0)) !== null,
  },
  rsaKey: {
    module: 'p2p/keys/peerPublicKey.ts',
    seeds: [RSA_KEY],
    async run(bytes) {
      const id = Buffer.concat([Buffer.from('1220', 'hex'), createHash('sha256').update(bytes).digest()])
      const key = peerPublicKey(base58btc.encode(id).slice(1), bytes)
      if (key === null) return false
      if (await verifyPeerSignature(key, bytes, bytes.subarray(0, 256))) throw new Error('a signature that nobody made')
      return true
    },
  },
  frame: {
    module: 'p2p/streams/streamReader.ts',
    seeds: [framed(encodeRequest({ v: 1, contentId: word('03'), maxBytes: 1000 })), framed(new Uint8Array(0))],
    run: readFrames,
  },
  signature: {
    module: 'p2p/keys/ecdsaSignature.ts',
    seeds: [derOf(Buffer.alloc(64, 0x71))],
    run(bytes) {
      const compact = compactOf(bytes)
      if (compact !== null && Buffer.compare(derOf(compact), bytes) !== 0) throw new Error('two forms of one signature')
      return compact !== null
    },
  },
  ...contents,
}

function framed(bytes: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.byteLength)
  return Uint8Array.from(Buffer.concat([length, bytes]))
}

/** Frames come in pieces of any size, and are what was sent. The only errors: a frame above the limit, a stream that ends within one. */
async function readFrames(bytes: Uint8Array): Promise<boolean> {
  const stream = Object.assign(new EventTarget(), { status: 'open', readStatus: 'readable', readBufferLength: 0 })
  const reader = createStreamReader(stream as unknown as Stream, { idleMs: 1000 })
  const pieceBytes = 1 + (bytes[0] ?? 0) + ((bytes.at(-1) ?? 0) % 8)
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) {
    stream.dispatchEvent(Object.assign(new Event('message'), { data: bytes.subarray(at, at + pieceBytes) }))
  }
  stream.dispatchEvent(new Event('end'))
  let read = 0
  try {
    for (let frame = await reader.message(MAX_FRAME_BYTES); frame !== null; ) {
      const sent = bytes.subarray(read, read + 4 + frame.byteLength)
      if (Buffer.compare(framed(frame), sent) !== 0) throw new Error('another frame than what was sent')
      read += sent.byteLength
      frame = await reader.message(MAX_FRAME_BYTES)
    }
  } catch (error) {
    const left = Buffer.from(bytes.subarray(read))
    const isTooLarge = left.byteLength >= 4 && left.readUInt32BE(0) > MAX_FRAME_BYTES
    if (error instanceof StreamError && error.kind === (isTooLarge ? 'too-large' : 'closed')) return false
    throw error
  } finally {
    reader.release()
  }
  if (read < bytes.byteLength) throw new Error('bytes after the last frame')
  return true
}

/** A payload is opened as roles open it: decoded, and the tree of its leaves computed. */
function payload(kind: keyof Payloads, module: string): Decoder {
  return {
    module,
    seeds: [seeds[kind]],
    async run(bytes) {
      const opened = await payloadsHere.open(kind, bytes)
      if (opened === null) return false
      const sealed = await payloadsHere.seal(kind, opened.payload)
      if (Buffer.compare(sealed.bytes, bytes) !== 0) throw new Error('two encodings of one payload')
      return true
    },
  }
}

/** Accepted bytes have one encoding, and the only error is CANONICAL. */
function decoded<T>(bytes: Uint8Array, decode: (bytes: Uint8Array) => T, encode: (value: T) => Uint8Array): boolean {
  let value: T
  try {
    value = decode(bytes)
  } catch (error) {
    if (error instanceof CanonicalError) return false
    throw error
  }
  if (Buffer.compare(encode(value), bytes) !== 0) throw new Error('two encodings of one value')
  return true
}

function same<T>(bytes: Uint8Array, checked: Verdict<T>, encode: (value: T) => Uint8Array): boolean {
  if (checked.verdict !== 'accept') return false
  if (Buffer.compare(encode(checked.value), bytes) !== 0) throw new Error('two encodings of one value')
  return true
}

function omitDerived({ bytes: _bytes, id: _id, ...fields }: ReturnType<typeof decodeSigned>) {
  return fields
}
