import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DATASET_FILE } from '#hub/datasets/openDataset.ts'
import { pullModel } from '#hub/pullModel.ts'
import { parseDatasetReference } from '#hub/repoReference.ts'
import { type HubSettings, modelsFolder, openHub, showProgress } from './modelOptions.ts'

/** The path of `--dataset PATH_OR_REPO`: a file, a folder, or the download of OWNER/NAME[@REVISION][:PATH]. */
export async function openDatasetPath(named: string, settings: HubSettings, signal?: AbortSignal): Promise<string> {
  // A missing file is its own error; its name is not looked up as a repository.
  if (existsSync(named) || (DATASET_FILE.test(named) && !named.includes(':'))) return named
  const reference = parseDatasetReference(named)
  const pulled = await pullModel(
    openHub(settings, signal),
    reference,
    modelsFolder(settings),
    showProgress(),
    'datasets',
  )
  return reference.path === undefined ? pulled.folder : join(pulled.folder, reference.path)
}
