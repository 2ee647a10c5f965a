import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'
import { SingleBar } from 'cli-progress'
import { ignMunicipalities } from '../../jobs/feeds/road/ign-municipalities.ts'
import { ignRoads } from '../../jobs/feeds/road/ign-roads.ts'
import { isNetworkFile, openNetwork, unpackedInto } from '../../jobs/feeds/road/network/layers.ts'
import { editionOf, type NetworkPart, partsOf, provinceOfFile } from '../../jobs/feeds/road/network/parts.ts'
import { openZip } from '../../jobs/formats/zip.ts'
import { roadAxes, roadPosts, roadSections } from '../../lake/datasets/road/road-network.ts'
import type { Lake } from '../../lake/open.ts'
import { provinceByCode, provinceByName, provinces } from '../../lake/places/provinces.ts'
import { scan } from '../../lake/query/scan.ts'
import { sql } from '../../lake/query/sql.ts'
import type { Json } from '../../lake/schema/columns.ts'
import { cliConfig } from '../service/store.ts'
import { runCommand, runSubcommand, say, table, type Values } from './output.ts'
import { isRefused, type Service, withService } from './service.ts'

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

const OPTIONS = {
  edition: { type: 'string' },
  province: { type: 'string' },
  again: { type: 'boolean', default: false },
  data: { type: 'string' },
} as const
type Options = Values<typeof OPTIONS>

function main(args: readonly string[], options: Options): Promise<void> {
  return runSubcommand(
    USAGE,
    args,
    new Map([
      ['import', [1, Number.POSITIVE_INFINITY, (...paths: string[]) => importFiles(paths, options)]],
      ['coverage', [0, 0, () => withService(cliConfig(options.data), ({ lake }) => showCoverage(lake))]],
    ]),
  )
}

async function importFiles(paths: readonly string[], options: Options): Promise<void> {
  const { edition, again, data } = options
  const config = cliConfig(data)
  const isRegister = paths.every((path) => /\.csv$/i.test(path))
  if (edition !== undefined && !(isRegister ? /^\d{4}$/ : /^\d{4}-(0[1-9]|1[0-2])$/).test(edition))
    throw new Error(`--edition ${edition}: ${isRegister ? 'a year such as 2025' : 'a month such as 2026-07'}`)
  if (isRegister && (paths.length > 1 || edition === undefined))
    throw new Error('import: one register of municipalities at a time, with --edition and the year of its inhabitants')
  for (const path of paths) if (!statSync(path, { throwIfNoEntry: false })) throw new Error(`${path}: no such file or folder`)
  if (isRegister) await withService(config, (service) => importRegister(service, paths[0] as string, { edition: edition as string, again }))
  else await withService(config, (service) => importAll(service, paths, options))
}

async function importAll(service: Service, paths: readonly string[], options: Options): Promise<void> {
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
      if (isRefused(outcome)) {
        say(`  ${outcome.outcome} ${period}: ${outcome.reason}`)
        process.exitCode = 2
      }
  }
  await showCoverage(service.lake)
}

/** Imports a register of municipalities as the edition of a year. */
async function importRegister(
  service: Service,
  path: string,
  { edition, again }: { readonly edition: string; readonly again: boolean },
): Promise<void> {
  const given = [{ period: edition, bytes: gzipSync(readFileSync(path)), from: basename(path) }]
  const [done] = await service.importParts(ignMunicipalities, given, { again })
  const { outcome } = done as NonNullable<typeof done>
  say(`${basename(path)}: ${outcome === null ? 'imported before' : `${outcome.outcome}${outcome.reason ? `: ${outcome.reason}` : ''}`}`)
  if (isRefused(outcome)) process.exitCode = 2
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
function provinceFor(path: string, name: string, stated: string | undefined): string | null {
  if (stated === 'all') return null
  if (stated !== undefined) {
    const found = provinces.find(({ code }) => code === stated) ?? provinceByName(stated)
    if (!found) throw new Error(`--province ${stated}: no province; a name or a code from 01 to 52, or all`)
    return found.code
  }
  const names = statSync(path).isDirectory() ? [name, ...readdirSync(path)] : [name]
  return names.map(provinceOfFile).find((one) => one !== null) ?? null
}

/** The imported road network by province, as lines for people: what was imported, and how much of it is measured. */
async function coverageLines(lake: Lake): Promise<string[]> {
  const found = await lake.use({ timeout_ms: 60_000 }, async (session) => {
    for (const dataset of [roadSections, roadPosts, roadAxes]) if (!(await lake.table(dataset).load())) return []
    return session.values(sql`
      SELECT s.part, s.province_code, s.roads, s.sections, coalesce(p.posts, 0), coalesce(a.roads, 0), coalesce(a.km, 0)
      FROM (SELECT part, province_code, count(DISTINCT road) AS roads, count(*) AS sections FROM ${scan(roadSections)} GROUP BY ALL) s
      LEFT JOIN (SELECT part, count(*) AS posts FROM ${scan(roadPosts)} GROUP BY ALL) p ON p.part = s.part
      LEFT JOIN (SELECT edition, count(DISTINCT road) AS roads, round(sum(length_m) / 1000) AS km FROM ${scan(roadAxes)} GROUP BY ALL) a
        ON a.edition = s.part
      ORDER BY s.part`)
  })
  if (found.length === 0) return ['no road network is imported: scripts/roads import <file>...']
  const rows = found.map(([part, code, ...counts]): Json[] => [
    provinceByCode(String(code))?.name ?? String(code),
    String(part),
    ...counts.map(Number),
  ])
  const there = new Set(found.map(([, code]) => code))
  const missing = provinces.filter(({ code }) => !there.has(code)).map(({ name }) => name)
  return [
    table(['province', 'part', 'roads', 'sections', 'posts', 'measured roads', 'measured km'], rows),
    missing.length === 0 ? 'no province is missing' : `${missing.length} provinces are missing: ${missing.join(', ')}`,
  ]
}

async function showCoverage(lake: Lake): Promise<void> {
  for (const line of await coverageLines(lake)) say(line)
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

await runCommand({ usage: USAGE, options: OPTIONS, takes: [1, Number.POSITIVE_INFINITY] }, main)
