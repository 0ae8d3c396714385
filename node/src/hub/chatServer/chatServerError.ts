import { NodeError } from '#base/errors.ts'

const hints = {
  SERVER_URL: 'Give the base URL of an OpenAI-compatible API and the model: http://127.0.0.1:8000/v1#MODEL.',
  SERVER_OFFLINE: 'Start the server, or check the URL; it is asked again in the next round.',
  SERVER_BUSY: 'Give the server more capacity; it is asked again in the next round.',
  SERVER_DENIED: 'Set OPENAI_API_KEY to a key of this server, of an account that has credit.',
  SERVER_MODEL:
    'Serve the model that the peer was started with, or restart the peer: it examines a judge at its start.',
  SERVER_REFUSED:
    'Check that the server has the model, and that prompt and answer fit its context (--max-model-len of vLLM).',
  SERVER_RESPONSE:
    "Use a server of OpenAI's API: for a judge vLLM, llama.cpp or Ollama, with top_logprobs; for a solver vLLM or llama.cpp, with prompts as tokens.",
} as const

/** A chat server gave no valid answer. Contains neither keys nor text from the server. */
export class ChatServerError extends NodeError {
  readonly code: keyof typeof hints

  constructor(code: keyof typeof hints, message: string, cause?: unknown) {
    super(message, { hint: hints[code], retryable: code === 'SERVER_OFFLINE' || code === 'SERVER_BUSY', cause })
    this.code = code
  }
}
