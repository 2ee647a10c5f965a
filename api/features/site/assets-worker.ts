import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'

// stripTypeScriptTypes is a release candidate in Node 24, and warns.
process.removeAllListeners('warning')
const { folder, names } = workerData as { readonly folder: string; readonly names: readonly string[] }
/** Modules of packages that ours import, by their names below the folder. */
const PACKAGES: Readonly<Record<string, string>> = { 'maplibre-gl': 'maplibre-gl.js' }

// Modules import each other by the names of their sources, and packages by theirs.
const withUrls = (text: string, up: string): string =>
  text.replaceAll(/(from |import\()'([^']+)'/g, (_whole, before, name) => {
    const file = PACKAGES[name]
    return `${before}'${file === undefined ? name.replace(/\.ts$/, '.js') : `${up}${file}`}'`
  })
const entries = names.map((name) => {
  const source = readFileSync(new URL(name, folder), 'utf8')
  return [
    name.replace(/\.ts$/, '.js'),
    withUrls(stripTypeScriptTypes(source, { mode: 'strip' }), name.includes('/') ? '../' : './'),
  ] as const
})
parentPort?.postMessage(new Map(entries))
