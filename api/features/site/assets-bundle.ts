import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type InputOptions, type OutputOptions, rolldown } from 'rolldown'

// Prints the modules that browsers load, as JSON: [name, code] each. A process of its own, as the bundler keeps 300 MB.
const [folder = '', base = '', ...entries] = process.argv.slice(2)
const MAPLIBRE = new URL('./', `file://${createRequire(import.meta.url).resolve('maplibre-gl/package.json')}`)
const OUTPUT: OutputOptions = { entryFileNames: '[name].js', chunkFileNames: '[name].js', minify: true, comments: { legal: true } }

// MapLibre is written for fields that are declared without being set.
const TRANSFORM: NonNullable<InputOptions['transform']> = {
  assumptions: { setPublicClassFields: true },
  typescript: { removeClassFieldsWithoutInitializer: true },
}

/** Bundles modules, by the names of their files in URLs. */
async function bundled(input: Readonly<Record<string, URL>>, output: OutputOptions, external: string[] = []): Promise<[string, string][]> {
  const files = Object.fromEntries(Object.entries(input).map(([name, file]) => [name, fileURLToPath(file)]))
  const bundle = await rolldown({ input: files, external, transform: TRANSFORM, platform: 'browser', logLevel: 'silent' })
  const made = await bundle.generate({ ...OUTPUT, ...output })
  return made.output.map((one) => [one.fileName, 'code' in one ? one.code : ''])
}

// As it is published, MapLibre is two files that have half of their code in common.
const library = await bundled(
  { 'maplibre-gl': new URL('src/index.ts', MAPLIBRE), 'maplibre-gl-worker': new URL('src/source/worker.ts', MAPLIBRE) },
  {
    codeSplitting: { groups: [{ name: 'maplibre-gl-shared', minShareCount: 2 }] },
    postBanner: '/* MapLibre GL JS, 3-clause BSD, https://github.com/maplibre/maplibre-gl-js */',
  },
)
const own = await bundled(
  Object.fromEntries(entries.map((name) => [name.replace(/\.js$/, ''), new URL(name.replace(/\.js$/, '.ts'), folder)])),
  { paths: { 'maplibre-gl': `${base}maplibre-gl.js` } },
  ['maplibre-gl'],
)
process.stdout.write(JSON.stringify([...library, ...own]))
