import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname, posix } from 'node:path'
import { messageOf } from '../../../models/in-thread.ts'

/** The folder of what pages load: stylesheets, modules and pictures. */
const FOLDER = new URL('../../browser/', import.meta.url)

/** Files of packages that pages load, by their names in URLs. */
const PACKAGES = {
  'overpass.woff2': '@fontsource-variable/overpass/files/overpass-latin-wght-normal.woff2',
  'overpass-mono.woff2': '@fontsource-variable/overpass-mono/files/overpass-mono-latin-wght-normal.woff2',
  'maplibre-gl.js': 'maplibre-gl/dist/maplibre-gl.mjs',
  'maplibre-gl-worker.js': 'maplibre-gl/dist/maplibre-gl-worker.mjs',
  'maplibre-gl.css': 'maplibre-gl/dist/maplibre-gl.css',
} as const
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/** Their names: paths below the folder. */
const own = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => /\.(css|png|ts)$/.test(name))
const resolved = new Map(Object.entries(PACKAGES).map(([name, file]) => [name, createRequire(import.meta.url).resolve(file)]))

/** Version of all files that pages load: the hash of their contents, so browsers may keep each for ever, from any machine. */
export const ASSET_VERSION = hash(
  'sha256',
  [...own.toSorted().map((name) => new URL(name, FOLDER)), ...resolved.values()].map((file) => hash('sha256', readFileSync(file))).join(),
  'hex',
).slice(0, 12)

/** The modules that each of ours imports before it runs, by names of files below the folder. */
const imports = new Map(
  own
    .filter((name) => name.endsWith('.ts'))
    .map((name) => {
      const source = readFileSync(new URL(name, FOLDER), 'utf8')
      const found = [...source.matchAll(/^import (?!type )[^']*'([^']+)'/gm)].map(([, from = '']) => from)
      return [name, found.map((from) => (from.startsWith('.') ? posix.join(name, '..', from) : `${from}.js`))] as const
    }),
)

/** Returns the modules that a module imports before it runs, also through others, so that browsers can load all at once. */
export function importsOf(name: string, known = new Set<string>()): ReadonlySet<string> {
  for (const one of imports.get(name.replace(/\.js$/, '.ts')) ?? []) {
    const file = one.replace(/\.ts$/, '.js')
    if (known.has(file)) continue
    known.add(file)
    importsOf(file, known)
  }
  return known
}

/** Returns the path of a file that pages load. */
export function assetPath(name: string): string {
  return `/assets/${ASSET_VERSION}/${name}`
}

/** A file that pages load. */
interface Asset {
  readonly content_type: string
  readonly body: Buffer
  /** False for fonts and pictures, which are compressed already. */
  readonly isText: boolean
}

let modules: Promise<ReadonlyMap<string, string>> | null = null

/** Reads a file that pages load, a module without its types; null if there is no such file. */
export async function readAsset(name: string): Promise<Asset | null> {
  const file = resolved.get(name)
  const type = TYPES[extname(name)]
  if (type === undefined) return null
  const asset = (body: Buffer): Asset => ({ content_type: type, body, isText: type.startsWith('text/') })
  if (file !== undefined) return asset(await readFile(file))
  if (own.includes(name)) return asset(await readFile(new URL(name, FOLDER)))
  if (!own.includes(name.replace(/\.js$/, '.ts'))) return null
  // In a thread of its own, which frees the memory of the compiler with it.
  modules ??= messageOf(
    new URL('./assets-worker.ts', import.meta.url),
    { folder: FOLDER.href, names: own.filter((one) => one.endsWith('.ts')) },
    new AbortController().signal,
  )
  const text = (await modules).get(name)
  return text === undefined ? null : asset(Buffer.from(text))
}
