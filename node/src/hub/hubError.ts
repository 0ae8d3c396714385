import { NodeError } from '#base/errors.ts'

const hints = {
  HUB_URL: 'Give --hub an https URL, or unset HF_TOKEN.',
  HUB_OFFLINE:
    'Check the connection and run it again: it resumes where it stopped. What is in the cache already works offline.',
  HUB_UPLOAD:
    'Check the connection and run it again: files that the hub has whole are not sent again, others from their start.',
  HUB_BUSY:
    'Wait a minute and run it again: downloads resume where they stopped, and uploads skip files that the hub has whole.',
  HUB_NOT_FOUND: 'Check the name and the revision; a private repository needs HF_TOKEN.',
  HUB_DENIED: "Accept the model's terms on its page if it has any, and set HF_TOKEN to a token that may do this.",
  HUB_FILE_NAME: 'Do not use this repository: its file names leave the folder, or hold control characters.',
  HUB_CHECKSUM: 'Run it again; if it happens twice, the repository or the way to it is damaged.',
  HUB_DISK: 'Free some space, or name another folder with --models.',
  HUB_RESPONSE: 'Check --hub: what answers there does not speak the hub’s protocol.',
  HUB_REFERENCE: 'Give a folder with a config.json, or OWNER/NAME, with @REVISION for a certain revision.',
  HUB_DATASET: 'Name a file or a folder that exists, or OWNER/NAME, with @REVISION and :PATH for a part of it.',
} as const

const RETRYABLE: ReadonlySet<keyof typeof hints> = new Set(['HUB_OFFLINE', 'HUB_UPLOAD', 'HUB_BUSY'])

/** A download from the hub or an upload failed. Never holds a token or a signed address. */
export class HubError extends NodeError {
  readonly code: keyof typeof hints

  constructor(code: keyof typeof hints, message: string, cause?: unknown) {
    super(message, { hint: hints[code], retryable: RETRYABLE.has(code), cause })
    this.code = code
  }
}
