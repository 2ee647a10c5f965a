import { parentPort, workerData } from 'node:worker_threads'
import { FormatError } from '../define.ts'
import { areasOf, type ReadAreas } from './mitma-areas.ts'

// The thread started by `areasInThread` for one file: polygons of real size take seconds of a core.
const bytes = workerData as Uint8Array
function read(): ReadAreas {
  try {
    return areasOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  } catch (error) {
    if (error instanceof FormatError) return { refused: error.message }
    throw error
  }
}
/** The buffers of an answer, which are transferred with it. */
function memoryOf(answer: ReadAreas): ArrayBuffer[] {
  return 'areas' in answer ? answer.areas.flatMap((one) => (one ? [one.area.buffer, one.outline.buffer] : [])) : []
}

if (parentPort) {
  const answer = read()
  parentPort.postMessage(answer, memoryOf(answer))
}
