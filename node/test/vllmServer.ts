import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { AdapterSettings } from '#rl/policy/adapterPolicy.ts'
import { openAdapterPolicy } from '#rl/policy/adapterPolicy.ts'
import type { Policy } from '#rl/policy/policy.ts'

type Answer = { status?: number; body: unknown }
type Asked = { path: string; body: Record<string, unknown> }

/** The server's own model, as it is listed. */
export const BASE = 'base'

/**
 * A server on loopback that speaks vLLM's protocol: completions of tokens, by the model of a folder and by adapters that it is given, computed by
 * this engine.
 *
 * @param adapter - of the adapters that it takes.
 */
export async function startVllm(folder: string, adapter: AdapterSettings) {
  const open = (from: string) => openAdapterPolicy(from, folder, adapter, { threads: 1, device: 'cpu', adamW: {} })
  const models = new Map<string, Policy>([[BASE, await open(folder)]])
  const asked: Asked[] = []
  const state = {
    models,
    asked,
    /** Whether it was started with VLLM_ALLOW_RUNTIME_LORA_UPDATING; without it there are no such paths. */
    takesAdapters: true,
    /** Bends an answer, or holds it back by null. */
    bend: (_: Asked, answer: Answer): Answer | null => answer,
    url: '',
    async close() {
      server.closeAllConnections()
      server.close()
      await Promise.all([...models.values()].map(policy => policy.dispose()))
    },
  }
  const server = createServer(async (request, response) => {
    const body = request.method === 'POST' ? ((await json(request)) as Asked['body']) : {}
    const one = { path: request.url ?? '', body }
    asked.push(one)
    const answer = state.bend(one, await answerTo(one))
    if (answer === null) return
    const { status = 200, body: said } = answer
    response.writeHead(status).end(typeof said === 'string' ? said : JSON.stringify(said))
  })
  async function answerTo({ path, body }: Asked): Promise<Answer> {
    if (path === '/v1/models') return { body: { data: [...models.keys()].map(id => ({ id })) } }
    if (path === '/v1/completions') return complete(models.get(String(body.model)), body)
    if (!state.takesAdapters) return { status: 404, body: { detail: 'Not Found' } }
    const name = String(body.lora_name)
    const known = models.get(name)
    if (path === '/v1/load_lora_adapter' && known === undefined) {
      models.set(name, await open(String(body.lora_path)))
      return { body: `Success: LoRA adapter '${name}' added successfully.` }
    }
    if (path !== '/v1/unload_lora_adapter' || known === undefined) return { status: 400, body: 'Bad request' }
    models.delete(name)
    await known.dispose()
    return { body: `Success: LoRA adapter '${name}' removed successfully.` }
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return state
}

async function complete(policy: Policy | undefined, body: Record<string, unknown>): Promise<Answer> {
  if (policy === undefined) return { status: 404, body: { error: { message: 'The model does not exist.' } } }
  const { prompt, max_tokens, temperature, top_p, seed, stop_token_ids } = body as Record<string, number> & {
    prompt: number[]
    stop_token_ids: [number, ...number[]]
  }
  const [stopToken, ...moreStopTokens] = stop_token_ids
  const [found] = await policy.generate({
    ...{ prompts: [Int32Array.from(prompt)], samplesPerPrompt: 1, maxNewTokens: max_tokens as number },
    ...{ temperature: temperature as number, topP: top_p, stopToken, moreStopTokens, seed: String(seed) },
  })
  const [ids, logprobs] = [[...(found?.tokens ?? [])], [...(found?.logprobs ?? [])]]
  const choice = {
    ...{ index: 0, text: '', finish_reason: found?.ended ? 'stop' : 'length', token_ids: ids },
    logprobs: { tokens: ids.map(id => `#${id}`), token_logprobs: logprobs, text_offset: [], top_logprobs: [] },
  }
  return { body: { choices: [choice] } }
}
