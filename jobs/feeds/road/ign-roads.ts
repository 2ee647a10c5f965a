import { gunzipSync } from 'node:zlib'
import { roadPosts, roadSections } from '../../../lake/datasets/road/road-network.ts'
import { ign } from '../../../lake/datasets/road/sources.ts'
import { foldName } from '../../../lake/places/names.ts'
import { provinceByCode, provinces } from '../../../lake/places/provinces.ts'
import { openZip } from '../../formats/zip.ts'
import { type Batch, type Diagnostics, defineFeed, FormatError } from '../define.ts'
import { isNetworkFile, openNetwork, unpackedInto } from './network/layers.ts'
import { editionOf, partRows, partsOf, provinceOfFile } from './network/parts.ts'

const MAX_BYTES = 200_000_000
const MAX_DECODED_BYTES = 1_500_000_000

/** What a whole file has beside roads. */
const USUAL = new Set(['sections without a road code', 'house numbers and posts of no road'])

/** The publisher's file of a province: its official names in capitals. */
export function provinceFile(code: string): string {
  return `RT_${foldName(provinceByCode(code)?.ine_name ?? code)
    .replaceAll(' ', '_')
    .toUpperCase()}_gpkg.zip`
}

const address = (code: string): string => `https://centrodedescargas.cnig.es/CentroDescargas/${provinceFile(code)}`

/**
 * Sections and kilometre posts of all roads (IGN's transport network), one file for each province. The publisher refuses
 * scripts: an operator imports its files, which are stored as parts of one province (`network/parts.ts`).
 */
export const ignRoads = defineFeed({
  id: 'ign_roads',
  source: ign,
  into: [roadSections, roadPosts],
  every_s: 30 * 86_400,
  importedBy: 'scripts/roads import',
  get: {
    name: '28',
    url: address('28'),
    maxBytes: MAX_BYTES,
    maxDecodedBytes: MAX_DECODED_BYTES,
    timeout_ms: 300_000,
    expects: 'zip',
    packed: 'gzip',
  },
  archive: {
    unit: 'part',
    index: [],
    files: () => provinces.map(({ code }) => ({ period: code, url: address(code) })),
    recent: provinces.length,
  },
  freshBy: 'fetch',
  bands: {
    road_sections: { atLeast: 1, minRatio: 0.5, maxRatio: 10 },
    road_posts: { atLeast: 0, minRatio: 0.5, maxRatio: 100 },
  },
  async *rows(bodies, _clock, diagnostics) {
    for (const { name, bytes } of bodies)
      if (bytes[0] === 0x50 && bytes[1] === 0x4b) yield* fileRows(bytes, { name, diagnostics })
      else yield* partRows(bytes, diagnostics)
  },
})

/** The rows of a publisher's file, named by its province: the same as those of the parts that an import makes of it. */
async function* fileRows(
  bytes: Buffer,
  { name, diagnostics }: { readonly name: string; readonly diagnostics: Diagnostics },
): AsyncGenerator<Batch> {
  const province = provinceByCode(name.slice(0, 2))?.code ?? provinceOfFile(name)
  const zip = await openZip(bytes, { maxBytes: MAX_DECODED_BYTES })
  if (!zip.names.some(isNetworkFile))
    throw new FormatError(`the zip has no file of a road network; it has ${zip.names.join(', ').slice(0, 300)}`)
  const unpacked = await unpackedInto(zip, isNetworkFile)
  try {
    yield* networkRows(unpacked.path, { province, diagnostics })
  } finally {
    unpacked.remove()
  }
}

function* networkRows(
  path: string,
  { province, diagnostics }: { readonly province: string | null; readonly diagnostics: Diagnostics },
): Generator<Batch> {
  const network = openNetwork(path)
  try {
    const { parts, leftOut } = partsOf(network, { province, edition: editionOf(network) })
    for (const [reason, count] of leftOut) if (!USUAL.has(reason)) diagnostics.warn(`${count} ${reason}`)
    for (const part of parts) yield* partRows(gunzipSync(part.bytes), diagnostics)
  } finally {
    network.close()
  }
}
