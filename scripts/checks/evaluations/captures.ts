import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Feed, FormatError } from '../../../jobs/feeds/define.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import type { Lake } from '../../../lake/open.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import type { Window } from '../../../models/figures.ts'
import { landRows } from '../scratch/lake.ts'

/** The input of an evaluation. */
export interface Given {
  /** Folder of captures, with a folder for each publisher's. */
  readonly data: string
  /** Days of the outcomes; null for the model's default windows. */
  readonly window: Window | null
  /** Reports what was left out, and why. */
  readonly say: (line: string) => void
}

/** Files of one layout in a folder of captures, with their feed and table. */
export interface Layout {
  readonly folder: string
  readonly file: RegExp
  readonly feed: Feed
  readonly into: Dataset
}

/** The files of a layout, in order of their names; none if the folder does not exist. */
export function filesOf(data: string, { folder, file }: Pick<Layout, 'folder' | 'file'>): string[] {
  const place = join(data, folder)
  const names = existsSync(place) ? readdirSync(place).filter((name) => file.test(name)) : []
  return names.sort().map((name) => join(place, name))
}

/** The rows of a feed in a file, which may be gzipped. A file in none of the feed's layouts has none and is reported by `say`. */
export async function rowsOf(path: string, { feed, into }: Pick<Layout, 'feed' | 'into'>, say: Given['say']): Promise<readonly AnyRow[]> {
  const read = readFileSync(path)
  const name = path.slice(path.lastIndexOf('/') + 1)
  try {
    const bytes = name.endsWith('.gz') ? gunzipSync(read) : read
    const { rows } = await parsePublication(feed, [{ name, bytes }], Date.now(), { keeps: () => true })
    return (rows.get(into.id) ?? []).map((row) => ({ ...row, fetch_id: `${feed.id}.1` }))
  } catch (error) {
    if (
      !(error instanceof FormatError) &&
      (error as NodeJS.ErrnoException).code !== 'Z_DATA_ERROR' &&
      (error as NodeJS.ErrnoException).code !== 'Z_BUF_ERROR'
    )
      throw error
    say(`${name}: left out, ${(error as Error).message}`)
    return []
  }
}

/**
 * Lands the rows of a layout's files; if a version occurs twice the later file replaces it, as in the service. Returns false and
 * reports by `say` if there are no rows.
 */
export async function landFiles(lake: Lake, layout: Layout, { data, say }: Given): Promise<boolean> {
  const { folder, into } = layout
  const version = into.version as string
  const versions = new Map<unknown, readonly AnyRow[]>()
  for (const path of filesOf(data, layout))
    for (const [key, theirs] of Map.groupBy(await rowsOf(path, layout, say), (row) => row[version])) versions.set(key, theirs)
  if (versions.size === 0) {
    say(`${join(data, folder)}: no file of ${layout.feed.id}`)
    return false
  }
  await landRows(lake, into, [...versions.values()].flat())
  return true
}
