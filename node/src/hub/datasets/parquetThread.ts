import { parentPort, workerData } from 'node:worker_threads'
import { answerCall, type Call } from '#base/threads/workerCalls.ts'
import { openFile } from './openFile.ts'
import { type RowRange, readLayout, readRows } from './parquetTable.ts'

// The thread that reads a Parquet file, started by `openParquet`.

const { path, name } = workerData as { path: string; name: string }
const opened = openFile(path, name).then(file => ({
  readLayout: () => readLayout(file),
  readRows: (range: RowRange, columns: readonly string[]) => readRows(file, range, columns),
}))
opened.catch(() => {}) // reported by the first read

parentPort?.on('message', async (call: Call) => {
  parentPort?.postMessage(await answerCall(call, opened, 'DATASET_THREAD'))
})
