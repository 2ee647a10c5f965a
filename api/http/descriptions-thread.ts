import { parentPort, workerData } from 'node:worker_threads'
import { endpoints } from '../endpoints/catalog.ts'
import { type DescriptionOptions, descriptionTexts } from './descriptions.ts'

// The thread that describes the API: it loads the catalogue anew, and its memory goes with it.
const texts = descriptionTexts(endpoints, workerData as DescriptionOptions)
parentPort?.postMessage(
  texts,
  Object.values(texts).map(({ bytes }) => bytes.buffer),
)
