import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { SingleBar } from 'cli-progress'
import { ignMunicipalities } from '../../jobs/feeds/road/ign-municipalities.ts'
import { ignRoads } from '../../jobs/feeds/road/ign-roads.ts'
import { isNetworkFile, openNetwork } from '../../jobs/feeds/road/network/layers.ts'
import { editionOf, type NetworkPart, partsOf, provinceOfFile } from '../../jobs/feeds/road/network/parts.ts'
import { unpackedInto } from '../../jobs/feeds/road/network/unpacked.ts'
import { openZip } from '../../jobs/formats/zip.ts'
import type { Config } from '../../lake/config.ts'
import { provinceByName, provinces } from '../../lake/places/provinces.ts'
import { cliConfig } from '../service/store.ts'
import { runCommand, say } from './output.ts'
import { coverageLines } from './roads-coverage.ts'
import { openService } from './service.ts'

const USAGE = `scripts/roads <command> [--data <dir>]

  import <file.zip|gpkg|folder>...   import IGN's road network: the national file, files of provinces, or folders of shapefiles
  import <MUNICIPIOS.csv>            import its register of municipalities, with their inhabitants; --edition 2025 is their year
    --edition 2026-07                the edition, if not the last change that the file states
    --province <name or code>        the province of a folder or file whose name has none; 'all' for a national file
    --again                          also import editions of provinces that were imported before
  coverage                           what is imported, by province

Download the files by hand from centrodedescargas.cnig.es (Redes de transporte): scripts are refused there. The national file lacks
some twenty provinces; their own files fill them. The same command continues an import that was stopped. Exits with 2 if a part was refused.`

/** A national GeoPackage unpacks to 1.5 GB. */
const MAX_BYTES = 20_000_000_000
const LINE_EVERY = 0.1
/** Smaller files show no progress. */
const LEAST_SHOWN = 10

interface Options {
  readonly edition: string | null
  readonly province: string | null
  readonly again: boolean
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      edition: { type: 'string' },
      province: { type: 'string' },
      again: { type: 'boolean', default: false },
      data: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const [command, ...paths] = positionals
  if (values.help || command === undefined) return say(USAGE)
  const config = cliConfig(values.data)
  if (command === 'coverage' && paths.length === 0) return coverage(config)
  if (command !== 'import' || paths.length === 0) throw new Error(`${positionals.join(' ')}: no such command\n${USAGE}`)
  const isRegister = paths.every((path) => /\.csv$/i.test(path))
  if (values.edition !== undefined && !(isRegister ? /^\d{4}$/ : /^\d{4}-(0[1-9]|1[0-2])$/).test(values.edition))
    throw new Error(`--edition ${values.edition}: ${isRegister ? 'a year such as 2025' : 'a month such as 2026-07'}`)
  if (isRegister && (paths.length > 1 || values.edition === undefined))
    throw new Error('import: one register of municipalities at a time, with --edition and the year of its inhabitants')
  for (const path of paths) if (!statSync(path, { throwIfNoEntry: false })) throw new Error(`${path}: no such file or folder`)
  if (isRegister) return importRegister(config, paths[0] as string, { edition: values.edition as string, again: values.again })
  await importAll(config, paths, { edition: values.edition ?? null, province: values.province ?? null, again: values.again })
}

async function importAll(config: Config, paths: readonly string[], options: Options): Promise<void> {
  const service = await openService(config)
  try {
    for (const path of paths) {
      const parts = await readParts(path, options).catch((cause: Error) => {
        throw new Error(`${path}: ${cause.message}`, { cause })
      })
      const progress = startProgress(`${basename(path)}: parts accepted`, parts.length)
      const given = parts.map(({ part, bytes }) => ({ period: part, bytes, from: basename(path) }))
      const done = await service.importParts(ignRoads, given, { again: options.again, onPart: () => progress.add(1) })
      progress.end()
      const count = (kind: string): number => done.filter(({ outcome }) => outcome?.outcome === kind).length
      const skipped = done.filter(({ outcome }) => outcome === null).length
      say(`${basename(path)}: ${count('accepted')} parts accepted, ${count('unchanged')} unchanged, ${skipped} imported before`)
      for (const { period, outcome } of done)
        if (outcome?.outcome === 'failed' || outcome?.outcome === 'rejected') {
          say(`  ${outcome.outcome} ${period}: ${outcome.reason}`)
          process.exitCode = 2
        }
    }
    for (const line of await coverageLines(service.lake)) say(line)
  } finally {
    await service.close()
  }
}

/** Imports a register of municipalities as the edition of a year. */
async function importRegister(
  config: Config,
  path: string,
  { edition, again }: { readonly edition: string; readonly again: boolean },
): Promise<void> {
  const service = await openService(config)
  try {
    const given = [{ period: edition, bytes: gzipSync(readFileSync(path)), from: basename(path) }]
    const [done] = await service.importParts(ignMunicipalities, given, { again })
    const { outcome } = done as NonNullable<typeof done>
    say(`${basename(path)}: ${outcome === null ? 'imported before' : `${outcome.outcome}${outcome.reason ? `: ${outcome.reason}` : ''}`}`)
    if (outcome?.outcome === 'failed' || outcome?.outcome === 'rejected') process.exitCode = 2
  } finally {
    await service.close()
  }
}

/** Reads a file, and prints what it left out. */
async function readParts(path: string, options: Options): Promise<readonly NetworkPart[]> {
  const name = basename(path)
  if (statSync(path).isDirectory() || !/\.zip$/i.test(name)) return cut(path, name, options)
  const zip = await openZip(path, { maxBytes: MAX_BYTES, maxRatio: 1000 })
  if (!zip.names.some(isNetworkFile)) throw new Error(`no file of a road network; the zip has ${zip.names.join(', ').slice(0, 300)}`)
  const total = zip.names.filter(isNetworkFile).reduce((sum, file) => sum + Number(zip.stated(file)?.split(' ')[0]), 0)
  const progress = startProgress(`${name}: MB unpacked`, Math.ceil(total / 1e6))
  const unpacked = await unpackedInto(zip, isNetworkFile, (bytes) => progress.add(bytes / 1e6))
  progress.end()
  try {
    return cut(unpacked.path, name, options)
  } finally {
    unpacked.remove()
  }
}

function cut(path: string, name: string, { edition, province }: Options): readonly NetworkPart[] {
  const network = openNetwork(path)
  try {
    const { sections, posts } = network
    const progress = startProgress(`${name}: rows read`, sections.count + (posts?.count ?? 0))
    const from = { province: provinceFor(path, name, province), edition: edition ?? editionOf(network), onRow: () => progress.add(1) }
    const { parts, leftOut } = partsOf(network, from)
    progress.end()
    for (const [reason, count] of leftOut) say(`  left out ${count} ${reason}`)
    return parts
  } finally {
    network.close()
  }
}

/** The province of a file: as named by the operator, else by its name or its folder's; null for a national file. */
function provinceFor(path: string, name: string, stated: string | null): string | null {
  if (stated === 'all') return null
  if (stated !== null) {
    const found = provinces.find(({ code }) => code === stated) ?? provinceByName(stated)
    if (!found) throw new Error(`--province ${stated}: no province; a name or a code from 01 to 52, or all`)
    return found.code
  }
  const isShapefiles = statSync(path).isDirectory()
  const found =
    provinceOfFile(name) ??
    (isShapefiles
      ? (readdirSync(path)
          .map(provinceOfFile)
          .find((one) => one !== null) ?? null)
      : null)
  return found
}

async function coverage(config: Config): Promise<void> {
  const service = await openService(config)
  try {
    for (const line of await coverageLines(service.lake)) say(line)
  } finally {
    await service.close()
  }
}

/** A progress bar; without a terminal, a line for each tenth. */
function startProgress(what: string, total: number): { add(count: number): void; end(): void } {
  if (total < LEAST_SHOWN) return { add: () => {}, end: () => {} }
  const bar = process.stderr.isTTY ? new SingleBar({ format: `${what} [{bar}] {value}/{total}, {eta_formatted} left` }) : null
  bar?.start(total, 0)
  let [done, shown] = [0, 0]
  return {
    add(count) {
      done += count
      if (done < shown + (total * LINE_EVERY) / (bar ? 10 : 1)) return
      shown = done
      if (bar) bar.update(Math.round(done))
      else say(`${what}: ${Math.round(done)} of ${total}`)
    },
    end() {
      bar?.update(total)
      bar?.stop()
    },
  }
}

await runCommand(main)
