import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { zipOfFolder } from '../../helpers/zip.ts'
import { PROJECT } from '../../laws/sources.ts'

export const shared = sharedFolder()
export const fixture = (path: string): Buffer => {
  const file = join(PROJECT, 'test/fixtures', path)
  return path.endsWith('.zip') ? zipOfFolder(file) : readFileSync(file)
}
export const capture = (path: string): Buffer => {
  const bytes = readFileSync(join(shared as string, 'feeds', path))
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes
}
export const parse = (feed: Feed, bytes: Buffer): Promise<Publication> =>
  parsePublication(feed, [{ name: 'accidents', bytes }], Date.UTC(2026, 10, 1), { keeps: () => true })
export const rowsOf = ({ rows }: Publication): AnyRow[] => [...rows.values()][0] as AnyRow[]
export const only = (rows: readonly AnyRow[], ...names: string[]): unknown[][] => rows.map((row) => names.map((name) => row[name]))
export const at = (text: string): number => Date.parse(text)
