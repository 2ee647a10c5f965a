import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { type Endpoint, endpointId } from '../../../api/kernel/endpoint.ts'
import { formatsOf } from '../../../api/kernel/formats.ts'
import { fuzzPlan } from '../fuzz/plan.ts'
import { type FuzzedService, startFuzzedService } from '../fuzz/service.ts'
import { exitBy, folderUntilExit, runSteps } from '../run.ts'

/** Rows of each list. */
const ROWS = '50'
/** The locale of LibreOffice (Windows language id) and the separator that a machine with these settings has, by dialect. */
const SHEETS = Object.freeze({ excel: { language: 3082, separator: ';' }, 'excel-en': { language: 1033, separator: ',' } })
const UTF8 = 76

const python = process.env['FILES_PYTHON'] ?? ''
const shapes = process.env['FILES_SHAPES'] ?? ''
const skipped = (process.env['FILES_SKIPPED'] ?? '').split(' ')

const folder = await folderUntilExit('files-')
await exitBy(check)

/** A list that has data, and the example values of its parameters. */
interface Answered {
  readonly id: string
  readonly endpoint: Endpoint
  readonly path: (values: Readonly<Record<string, string>>) => string
}

/** Fetches the files from a service and opens them; true if all are right. */
async function check(): Promise<boolean> {
  const service = await startFuzzedService(folder, (line) => process.stderr.write(`${line}\n`))
  try {
    const lists = await answeredLists(service)
    const parts = { sheets: checkSheets, places: checkPlaces, catalogue: checkCatalogue }
    let isGood = true
    for (const [name, part] of Object.entries(parts)) if (!skipped.includes(name)) isGood = (await part(service, lists)) && isGood
    return isGood
  } finally {
    await service.close()
  }
}

async function answeredLists(service: FuzzedService): Promise<Answered[]> {
  const { ids } = await fuzzPlan(service, '')
  const found: Answered[] = []
  for (const endpoint of endpoints.filter(({ returns }) => returns.kind === 'list')) {
    const id = endpointId(endpoint.path)
    const now = Date.now()
    const path: Answered['path'] = (values) => requestOf(endpoint, { ...ids[id], limit: ROWS, ...values }, now)
    const { status } = await fetched(service, path({ format: 'ndjson' }))
    if (status === 200) found.push({ id, endpoint, path })
    else process.stdout.write(`${endpoint.path} has no data: ${status}\n`)
  }
  return found
}

async function fetched({ url, key }: FuzzedService, path: string, accept = '*/*'): Promise<{ readonly status: number; body: Buffer }> {
  const response = await fetch(`${url}${path}`, { headers: { 'X-API-Key': key, Accept: accept } })
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()) }
}

/** Saves a reply. Throws for one that is not 200. */
async function save(service: FuzzedService, path: string, file: string, accept?: string): Promise<void> {
  const { status, body } = await fetched(service, path, accept)
  if (status !== 200) throw new Error(`${path}: ${status} ${body.toString().slice(0, 500)}`)
  await writeFile(file, body)
}

function script(name: string): string {
  return fileURLToPath(new URL(`./${name}.py`, import.meta.url))
}

async function folderOf(name: string): Promise<string> {
  const own = join(folder, name)
  await mkdir(own, { recursive: true })
  return own
}

/** Opens every list as LibreOffice does with Spanish and with English settings, and compares the sheets with the exact CSV. */
async function checkSheets(service: FuzzedService, lists: readonly Answered[]): Promise<boolean> {
  const exact = await folderOf('exact')
  for (const { id, path } of lists) await save(service, path({ format: 'csv' }), join(exact, `${id}.csv`))
  let isGood = true
  for (const [dialect, { language, separator }] of Object.entries(SHEETS)) {
    const own = await folderOf(dialect)
    for (const { id, path } of lists) await save(service, path({ format: 'csv', dialect }), join(own, `${id}.csv`))
    const filter = `Text - txt - csv (StarCalc):${separator.charCodeAt(0)},34,${UTF8},1,,${language},false,true`
    const convert = ['--headless', `-env:UserInstallation=file://${folder}/office`, `--infilter=${filter}`, '--convert-to', 'xlsx']
    isGood =
      (await runSteps('sheets', own, [
        ['soffice', ...convert, '--outdir', own, ...lists.map(({ id }) => join(own, `${id}.csv`))],
        [python, script('read_sheets'), dialect, exact, own],
      ])) && isGood
  }
  return isGood
}

/** Reads every list with places with GDAL (GeoJSON) and with geopandas (GeoParquet). */
async function checkPlaces(service: FuzzedService, lists: readonly Answered[]): Promise<boolean> {
  const own = await folderOf('places')
  for (const { id, endpoint, path } of lists) {
    if (!formatsOf(endpoint.returns).includes('geojson')) continue
    for (const format of ['geojson', 'parquet', 'ndjson']) await save(service, path({ format }), join(own, `${id}.${format}`))
  }
  return await runSteps('places', own, [[python, script('read_places'), own]])
}

/** Validates the whole catalogue with the shapes. */
async function checkCatalogue(service: FuzzedService): Promise<boolean> {
  const own = await folderOf('catalogue')
  await save(service, '/api/datasets', join(own, 'catalogue.ttl'), 'text/turtle')
  return await runSteps('catalogue', own, [[python, script('validate_catalogue'), join(own, 'catalogue.ttl'), resolve(shapes)]])
}
