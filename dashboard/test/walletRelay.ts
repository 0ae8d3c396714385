import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

interface Message {
  topic: string
  message: string
  tag: number
  publishedAt: number
}

interface Client {
  /** The key that signed its token: the same after a reload. */
  name: string
  socket: WebSocket
  topics: Set<string>
}

type Params = Record<string, unknown>

/** A relay of WalletConnect's protocol, version 2: it keeps what it can't deliver and reads nothing of it. */
export async function startWalletRelay() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const clients = new Set<Client>()
  const kept: (Message & { seenBy: Set<string> })[] = []
  const methods: string[] = []

  function deliver(client: Client): void {
    for (const { seenBy, ...data } of kept) {
      if (!client.topics.has(data.topic) || seenBy.has(client.name)) continue
      seenBy.add(client.name)
      const params = { id: `${client.name}.${data.topic}`, data }
      client.socket.send(
        JSON.stringify({ id: 1e6 * Date.now() + kept.length, jsonrpc: '2.0', method: 'irn_subscription', params }),
      )
    }
  }
  function subscribe(client: Client, topic: string): string {
    client.topics.add(topic)
    return `${client.name}.${topic}`
  }
  function keep({ name }: Client, topic: unknown, message: unknown, tag: unknown): void {
    if (typeof topic !== 'string' || typeof message !== 'string') throw new Error('a message has a topic and a text')
    kept.push({ topic, message, tag: Number(tag), publishedAt: Date.now(), seenBy: new Set([name]) })
  }

  const answers: Record<string, (client: Client, params: Params) => unknown> = {
    irn_subscribe: (client, { topic }) => subscribe(client, topic as string),
    irn_batchSubscribe: (client, { topics }) => (topics as string[]).map(topic => subscribe(client, topic)),
    irn_unsubscribe: (client, { topic }) => client.topics.delete(topic as string),
    irn_batchFetchMessages: () => ({ messages: [], hasMore: false }),
    irn_publish(client, { topic, message, tag }) {
      keep(client, topic, message, tag)
      return true
    },
    // A relay subscribes who proposes and who approves to what is answered.
    wc_proposeSession(client, { pairingTopic, sessionProposal, tag }) {
      subscribe(client, pairingTopic as string)
      keep(client, pairingTopic, sessionProposal, tag)
      return true
    },
    wc_approveSession(client, { pairingTopic, sessionTopic, sessionProposalResponse, sessionSettlementRequest, tag }) {
      subscribe(client, sessionTopic as string)
      keep(client, pairingTopic, sessionProposalResponse, tag)
      keep(client, sessionTopic, sessionSettlementRequest, tag)
      return true
    },
  }

  server.on('connection', (socket, { url }) => {
    const token = new URL(url ?? '/', 'ws://relay').searchParams.get('auth')
    const { iss } = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString()) as { iss: string }
    const client: Client = { name: iss, socket, topics: new Set() }
    clients.add(client)
    socket.on('close', () => clients.delete(client))
    socket.on('message', bytes => {
      const { id, method, params } = JSON.parse(bytes.toString()) as { id: number; method?: string; params: Params }
      if (method === undefined) return
      methods.push(method)
      const answer = answers[method]
      const reply = answer ? { result: answer(client, params) } : { error: { code: -32601, message: `no ${method}` } }
      socket.send(JSON.stringify({ id, jsonrpc: '2.0', ...reply }))
      for (const each of clients) deliver(each)
    })
  })

  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Requests, in order. */
    methods,
    stop() {
      for (const { socket } of clients) socket.terminate()
      server.close()
    },
  }
}
