import { parentPort } from 'node:worker_threads'
import scalar from '@scalar/fastify-api-reference'
import fastify from 'fastify'

// The package contains the browser's script as a text and returns it only on its own route. It is read in a thread: that takes
// half a second, and the memory is freed with the thread.
const app = fastify()
await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
const { statusCode, payload } = await app.inject('/docs/js/scalar.js')
if (statusCode !== 200) throw new Error(`the documentation's script was answered with ${statusCode}`)
parentPort?.postMessage(payload)
await app.close()
