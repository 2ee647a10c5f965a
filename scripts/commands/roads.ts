import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ignMunicipalities } from '../../jobs/feeds/road/ign-municipalities.ts'
import { ignRoads } from '../../jobs/feeds/road/ign-roads.ts'
import { isNetworkFile, openNetwork, unpackedInto } from '../../jobs/feeds/road/network/layers.ts'
import { editionOf, type NetworkParts, partsOf, provinceOfFile } from '../../jobs/feeds/road/network/parts.ts'
import { openZip } from '../../jobs/formats/zip.ts'
import { roadAxes, roadPosts, roadSections } from '../../lake/datasets/road/road-network.ts'
import type { Lake } from '../../lake/open.ts'
import { provinceByCode, provinceByName, provinces } from '../../lake/places/provinces.ts'
import { scan } from '../../lake/query/scan.ts'
import { sql } from '../../lake/query/sql.ts'
import type { Json } from '../../lake/schema/columns.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { cliConfig } from '../service/store.ts'
import { runCommand, runSubcommand, say, table, type Values } from './output.ts'
import { openReport, type Report } from './progress.ts'
import { isRefused, nextLooks, type Service, withService } from './service.ts'

const USAGE = `scripts/roads <command> [--data <dir>] [--json]

  import <file.zip|gpkg|folder>...   import IGN's road network: the national file, files of provinces, or folders of shapefiles
  import <MUNICIPIOS.csv>            import its register of municipalities, with their inhabitants; --edition 2025 is their year
    --edition 2026-07                the edition, if not the last change that the file states
    --province <name or code>        the province of a folder or file whose name has none; 'all' for a national file
    --again                          also import editions of provinces that were imported before
    --json                         progress and result as JSON, one object a line
  coverage                           what is imported, by province

Download the files by hand from centrodedescargas.cnig.es (Redes de transporte): scripts are refused there. The national file lacks
some twenty provinces; their own files fill them. The same command continues an import that was stopped. Exits with 2 if a part was refused.`

/** A national GeoPackage unpacks to 1.5 GB. */
const MAX_BYTES = 20_000_000_000

const OPTIONS = {
  edition: { type: 'string' },
  province: { type: 'string' },
  again: { type: 'boolean', default: false },
  data: { type: 'string' },
  json: { type: 'boolean', default: false },
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
  const { edition, data } = options
  const config = cliConfig(data)
  const isRegister = paths.every((path) => /\.csv$/i.test(path))
  if (edition !== undefined && !(isRegister ? /^\d{4}$/ : /^\d{4}-(0[1-9]|1[0-2])$/).test(edition))
    throw new Error(`--edition ${edition}: ${isRegister ? 'a year such as 2025' : 'a month such as 2026-07'}`)
  if (isRegister && (paths.length > 1 || edition === undefined))
    throw new Error('import: one register of municipalities at a time, with --edition and the year of its inhabitants')
  for (const path of paths) if (!statSync(path, { throwIfNoEntry: false })) throw new Error(`${path}: no such file or folder`)
  if (isRegister)
    await withService(config, (service) => importRegister(service, paths[0] as string, { ...options, edition: edition as string }))
  else await withService(config, (service) => importAll(service, paths, options))
}

async function importAll(service: Service, paths: readonly string[], options: Options): Promise<void> {
  const report = openReport('roads import', options.json)
  const files: object[] = []
  for (const path of paths) {
    const file = basename(path)
    const { parts, leftOut } = await readParts(path, options, report).catch((cause: Error) => {
      throw new Error(`${path}: ${cause.message}`, { cause })
    })
    for (const [reason, count] of leftOut) report.print(`  left out ${count} ${reason}`)
    const progress = report.start(file, { unit: 'parts accepted', total: parts.length, hasLines: true })
    const given = parts.map(({ part, bytes }) => ({ period: part, bytes, from: file }))
    const done = await service
      .importParts(ignRoads, given, { again: options.again, onPart: () => progress.add(1) })
      .finally(() => progress.end())
    const count = (kind: string): number => done.filter(({ outcome }) => outcome?.outcome === kind).length
    const [accepted, unchanged] = [count('accepted'), count('unchanged')]
    const skipped = done.filter(({ outcome }) => outcome === null).length
    report.print(`${file}: ${accepted} parts accepted, ${unchanged} unchanged, ${skipped} imported before`)
    const refused = done.flatMap(({ period, outcome }) =>
      isRefused(outcome) ? [{ period, outcome: outcome.outcome, reason: outcome.reason }] : [],
    )
    for (const { outcome, period, reason } of refused) report.print(`  ${outcome} ${period}: ${reason}`)
    if (refused.length > 0) process.exitCode = 2
    files.push({ file, accepted, unchanged, skipped, refused, left_out: Object.fromEntries(leftOut) })
  }
  const { lines, missing } = await coverageOf(service.lake)
  const more = missing.length === 0 ? [] : [`scripts/roads import <file> with the files of the missing provinces`]
  report.finish({ lines, facts: { files, missing_provinces: missing }, next: [...more, ...nextLooks(roadSections.id, options.data)] })
}

/** Imports a register of municipalities as the edition of a year. */
async function importRegister(
  service: Service,
  path: string,
  { edition, again, data, json }: Options & { readonly edition: string },
): Promise<void> {
  const given = [{ period: edition, bytes: gzipSync(readFileSync(path)), from: basename(path) }]
  const [done] = await service.importParts(ignMunicipalities, given, { again })
  const { outcome } = done as NonNullable<typeof done>
  const file = basename(path)
  openReport('roads import', json).finish({
    lines: [`${file}: ${outcome === null ? 'imported before' : `${outcome.outcome}${outcome.reason ? `: ${outcome.reason}` : ''}`}`],
    facts: { files: [{ file, outcome: outcome?.outcome ?? 'skipped', reason: outcome?.reason ?? null }] },
    next: nextLooks((ignMunicipalities.into[0] as Dataset).id, data),
  })
  if (isRefused(outcome)) process.exitCode = 2
}

/** Reads the parts of a file. */
async function readParts(path: string, options: Options, report: Report): Promise<NetworkParts> {
  const name = basename(path)
  if (statSync(path).isDirectory() || !/\.zip$/i.test(name)) return cut(path, { name, options, report })
  const zip = await openZip(path, { maxBytes: MAX_BYTES, maxRatio: 1000 })
  if (!zip.names.some(isNetworkFile)) throw new Error(`no file of a road network; the zip has ${zip.names.join(', ').slice(0, 300)}`)
  const total = zip.names.filter(isNetworkFile).reduce((sum, file) => sum + Number(zip.stated(file)?.split(' ')[0]), 0)
  const progress = report.start(name, { unit: 'MB unpacked', total: Math.ceil(total / 1e6), hasLines: true })
  const unpacked = await unpackedInto(zip, isNetworkFile, (bytes) => progress.add(bytes / 1e6)).finally(() => progress.end())
  try {
    return cut(unpacked.path, { name, options, report })
  } finally {
    unpacked.remove()
  }
}

function cut(path: string, { name, options, report }: { name: string; options: Options; report: Report }): NetworkParts {
  const network = openNetwork(path)
  const { sections, posts } = network
  const progress = report.start(name, { unit: 'rows read', total: sections.count + (posts?.count ?? 0), hasLines: true })
  try {
    const from = { province: provinceFor(path, name, options.province), edition: options.edition ?? editionOf(network) }
    return partsOf(network, { ...from, onRow: () => progress.add(1) })
  } finally {
    progress.end()
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

/** The imported road network by province, as lines for people: what was imported, how much is measured, what is missing. */
async function coverageOf(lake: Lake): Promise<{ readonly lines: readonly string[]; readonly missing: readonly string[] }> {
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
  const there = new Set(found.map(([, code]) => code))
  const missing = provinces.filter(({ code }) => !there.has(code)).map(({ name }) => name)
  if (found.length === 0) return { lines: ['no road network is imported: scripts/roads import <file>...'], missing }
  const rows = found.map(([part, code, ...counts]): Json[] => [
    provinceByCode(String(code))?.name ?? String(code),
    String(part),
    ...counts.map(Number),
  ])
  const lines = [
    table(['province', 'part', 'roads', 'sections', 'posts', 'measured roads', 'measured km'], rows),
    missing.length === 0 ? 'no province is missing' : `${missing.length} provinces are missing: ${missing.join(', ')}`,
  ]
  return { lines, missing }
}

async function showCoverage(lake: Lake): Promise<void> {
  for (const line of (await coverageOf(lake)).lines) say(line)
}

await runCommand({ usage: USAGE, options: OPTIONS, takes: [1, Number.POSITIVE_INFINITY] }, main)
