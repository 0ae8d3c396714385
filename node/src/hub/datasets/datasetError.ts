import { NodeError } from '#base/errors.ts'

const hints = {
  DATASET_FILE:
    'Download or export it again; Parquet (.parquet), JSON lines (.jsonl, .jsonl.gz) and JSON arrays (.json) are read.',
  DATASET_UNPACK: 'Free some space there, name another temporary folder (TMPDIR), or unpack the files yourself.',
  DATASET_EMPTY: 'Name a file that has rows.',
  DATASET_COLUMN: 'Name a file of a documented format: see docs/guides/use-a-dataset.md.',
} as const

/** A dataset cannot be read at all. Defects of single rows are values: {@link RowFault}. */
export class DatasetError extends NodeError {
  readonly code: keyof typeof hints
  override readonly isFinal = true

  constructor(code: keyof typeof hints, message: string, cause?: unknown) {
    super(message, { hint: hints[code], cause })
    this.code = code
  }
}
