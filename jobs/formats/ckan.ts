import { type FeedRequest, FormatError } from '../feeds/define.ts'
import { requestOf } from '../feeds/request.ts'
import { readJson } from './json.ts'

/** A file of a dataset, as listed by a CKAN portal (`package_show`). */
export type CkanResource = Readonly<Partial<Record<'name' | 'description' | 'url', unknown>>>

/** The request for a portal's list of a dataset's files (`package_show`), by its address. */
export function listRequest(url: string): FeedRequest {
  return requestOf({ name: 'list', url, maxBytes: 8_000_000, expects: 'json' })
}

/** The files listed in an answer to `package_show`. Throws `FormatError` for any other answer. */
export function ckanResources(bytes: Buffer): readonly CkanResource[] {
  const list = (readJson(bytes, 'the list of files') as { result?: { resources?: unknown } } | null)?.result?.resources
  if (!Array.isArray(list)) throw new FormatError('the list of files has no result.resources')
  return list.filter((one): one is CkanResource => typeof one === 'object' && one !== null)
}
