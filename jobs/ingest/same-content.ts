import { type AcceptedFetch, RawBytesError } from '../../lake/raw/archive.ts'
import { type Feed, type FeedBody, FormatError } from '../feeds/define.ts'
import { holdSameFiles, openZip } from '../formats/zip.ts'
import { decodeKept } from './collect.ts'
import type { IngestContext } from './context.ts'
import { readKept } from './derive.ts'

/**
 * True if new archives contain, byte for byte, the last accepted files, only packed, ordered or dated differently: accepting
 * them would write all rows again. False for damaged or unreadable archives, which the parser rejects. If only part of a file
 * counts, that part is compared.
 */
export async function isSameContent(
  context: IngestContext,
  feed: Feed,
  given: { readonly last: AcceptedFetch | null; readonly decoded: readonly FeedBody[] },
): Promise<boolean> {
  const { last, decoded } = given
  const archives = feed.plans.flatMap(({ requests }) => requests).filter(({ expects }) => expects === 'zip')
  const contentOf = feed.archive?.contentOf
  if (last && contentOf) return hasSameContent(context, feed, { last, decoded, contentOf })
  const limitOf = (body: FeedBody): number => archives.find(({ name }) => name === body.name)?.maxDecodedBytes ?? 0
  if (!last || last.bodies.length !== decoded.length || decoded.some((body) => limitOf(body) === 0)) return false
  try {
    const kept = await decodeKept(feed, await readKept(context, last))
    for (const [at, body] of decoded.entries()) {
      const other = kept[at] as FeedBody
      const limits = { maxBytes: limitOf(body) }
      if (other.name !== body.name || !(await holdSameFiles(await openZip(other.bytes, limits), await openZip(body.bytes, limits))))
        return false
    }
    return true
  } catch (error) {
    if (error instanceof RawBytesError || error instanceof FormatError) return false
    throw error
  }
}

async function hasSameContent(
  context: IngestContext,
  feed: Feed,
  of: { readonly last: AcceptedFetch; readonly decoded: readonly FeedBody[]; readonly contentOf: (body: FeedBody) => Buffer },
): Promise<boolean> {
  const { last, decoded, contentOf } = of
  try {
    const kept = await decodeKept(feed, await readKept(context, last))
    return kept.length === decoded.length && decoded.every((body, at) => contentOf(body).equals(contentOf(kept[at] as FeedBody)))
  } catch (error) {
    if (error instanceof RawBytesError) return false
    throw error
  }
}
