import { gossipsub } from '@chainsafe/libp2p-gossipsub'
import type { PeerGuard } from '../connections/peerGuard.ts'
import { messageId, rawMessageId } from './messageId.ts'
import { scoreParams, scoreThresholds } from './topicScore.ts'

/** Holds a batch of messages of 16 KB each and the largest list of ids, far above what an honest peer sends. */
const MAX_FRAME_BYTES = 1 << 20

type GossipOptions = { topics: readonly string[]; heartbeatMs?: number }

/** gossipsub for messages that `gossipTopics.ts` signs and verifies, so that gossipsub itself does not. */
export const gossipService = ({ topics, heartbeatMs }: GossipOptions, guard: PeerGuard) =>
  gossipsub({
    globalSignaturePolicy: 'StrictNoSign',
    allowedTopics: [...topics],
    msgIdFn: messageId,
    fastMsgIdFn: rawMessageId,
    allowPublishToZeroTopicPeers: true,
    fallbackToFloodsub: false,
    doPX: false,
    runOnLimitedConnection: true,
    maxInboundDataLength: MAX_FRAME_BYTES,
    maxOutboundBufferSize: 4 * MAX_FRAME_BYTES,
    heartbeatInterval: heartbeatMs ?? 1000,
    scoreParams: scoreParams(topics, guard.penaltyOf),
    scoreThresholds,
  })
