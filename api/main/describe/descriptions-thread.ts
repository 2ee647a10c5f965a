import { parentPort, workerData } from 'node:worker_threads'
import { endpoints } from '../../endpoints/catalog.ts'
import { type DescriptionOptions, descriptionTexts } from './descriptions.ts'

// This thread describes the API. It loads the catalogue again, and its memory is freed when it ends.
const { texts, reference } = descriptionTexts(endpoints, workerData as DescriptionOptions)
parentPort?.postMessage(
  { texts, reference },
  [...Object.values(texts).map(({ packed }) => packed), ...Object.values(reference.packed)].map(({ buffer }) => buffer),
)
