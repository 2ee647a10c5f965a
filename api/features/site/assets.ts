import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { keptBundle } from './kept-bundle.ts'

/** The folder of what pages load: stylesheets, modules and pictures. */
const FOLDER = new URL('../../browser/', import.meta.url)

/** Files of packages that pages load, by their names in URLs. */
const PACKAGES = {
  'overpass.woff2': '@fontsource-variable/overpass/files/overpass-latin-wght-normal.woff2',
  'overpass-mono.woff2': '@fontsource-variable/overpass-mono/files/overpass-mono-latin-wght-normal.woff2',
  'maplibre-gl.css': 'maplibre-gl/dist/maplibre-gl.css',
} as const
/** The modules that pages name; each brings along what it imports. */
const ENTRIES = ['page.js', 'home.js', 'first-call.js', 'datasets.js', 'docs.js', 'map/map.js']
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
const { resolve } = createRequire(import.meta.url)
const resolved = new Map(Object.entries(PACKAGES).map(([name, file]) => [name, resolve(file)]))
/** The bundler's settings, and the versions of what it bundles. */
const bundled = [new URL('./assets-bundle.ts', import.meta.url), new URL('../../../package-lock.json', import.meta.url)]

const contentsHash = (): string =>
  hash(
    'sha256',
    [...own.toSorted().map((name) => new URL(name, FOLDER)), ...resolved.values(), ...bundled]
      .map((file) => hash('sha256', readFileSync(file)))
      .join(),
    'hex',
  ).slice(0, 12)

/** Version of all files that pages load: the hash of their contents, so browsers may keep each for ever, from any machine. */
export const ASSET_VERSION = contentsHash()

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

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/pages.json', import.meta.url))
let modules: Promise<ReadonlyMap<string, string>> | null = null

/** Bundles the modules of pages and of the map's library, without types. */
async function bundle(): Promise<string> {
  const file = fileURLToPath(new URL('./assets-bundle.ts', import.meta.url))
  const args = [file, FOLDER.href, assetPath(''), ...ENTRIES]
  return (await promisify(execFile)(process.execPath, args, { maxBuffer: 50e6 })).stdout
}

/** The modules of this version; sources that have changed since the start are bundled for this process alone. */
function readModules(): Promise<ReadonlyMap<string, string>> {
  const isCurrent = (): boolean => contentsHash() === ASSET_VERSION
  return keptBundle(CACHE, { version: ASSET_VERSION, isCurrent, entries: ENTRIES, make: bundle })
}

/** Reads a file that pages load, a module with what it imports; null if there is no such file. */
export async function readAsset(name: string): Promise<Asset | null> {
  const type = TYPES[extname(name)]
  if (type === undefined) return null
  const asset = (body: Buffer): Asset => ({ content_type: type, body, isText: type.startsWith('text/') })
  const file = resolved.get(name) ?? (own.includes(name) ? new URL(name, FOLDER) : undefined)
  if (file !== undefined) return asset(await readFile(file))
  if (!name.endsWith('.js')) return null
  modules ??= readModules().catch((error: unknown) => {
    modules = null
    throw error
  })
  const text = (await modules).get(name)
  return text === undefined ? null : asset(Buffer.from(text))
}
