import { NETWORKS } from '../../../../lake/datasets/rail/networks.ts'
import { defineStandIn } from '../../define.ts'
import { metroZip } from '../../formats/metro-gtfs.ts'
import type { FeedStandIn } from '../../publisher.ts'
import { METRO_NETWORKS, type MetroNetwork } from '../../world/metro-networks.ts'

const NAP = 'nap.transportes.gob.es'

/** Where a network's archive is: at its own address, and by its number of data set at the National Access Point. */
interface Place {
  readonly network: keyof typeof NETWORKS
  readonly host?: string
  readonly path?: string
  readonly dataset?: number
}

function standInOf({ network, host, path, dataset }: Place): FeedStandIn {
  const feed = NETWORKS[network]?.feed as string
  const [asked, file] = [`/api/Fichero/${dataset}`, `/api/Fichero/download/${dataset}7`]
  return defineStandIn(feed, {
    hosts: [...(host === undefined ? [] : [host]), ...(dataset === undefined ? [] : [NAP])],
    path: path ?? asked,
    route: (given) => {
      if (given === path || (dataset !== undefined && given === file)) return 'timetable'
      return dataset !== undefined && given === asked ? { slip: file } : null
    },
    slip: (to) => ({
      bytes: Buffer.from(JSON.stringify([{ conjuntoDatoId: dataset, ficheroId: Number(to.split('/').at(-1)), tipoFicheroNombre: 'GTFS' }])),
      contentType: 'application/json; charset=utf-8',
    }),
    // A new edition each month.
    publishedAt(_seed, now) {
      const date = new Date(now)
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
    },
    contentType: 'application/zip',
    write: (_world, { publishedAt, variant }) => metroZip(METRO_NETWORKS[feed] as MetroNetwork, { at: publishedAt, variant }),
  })
}

const crtm = (id: string) => ({ host: 'crtm.maps.arcgis.com', path: `/sharing/rest/content/items/${id}/data` })

/** Publishers of timetables of metros, trams and regional trains. */
export const metroNetworks: readonly FeedStandIn[] = [
  standInOf({ network: 'FGC', host: 'www.fgc.cat', path: '/google/google_transit.zip' }),
  standInOf({ network: 'METRO_MADRID', ...crtm('5c7f2951962540d69ffe8f640d94c246') }),
  standInOf({ network: 'METRO_LIGERO', ...crtm('aaed26cc0ff64b0c947ac0bc3e033196') }),
  standInOf({ network: 'METRO_MALAGA', dataset: 1296 }),
  standInOf({ network: 'METROVALENCIA', host: 'www.metrovalencia.es', path: '/google_transit_feed/google_transit.zip', dataset: 967 }),
  standInOf({ network: 'TRAM_ALICANTE', dataset: 966 }),
  standInOf({
    network: 'SFM',
    host: 'files.mobilitydatabase.org',
    path: '/mdb-2766/latest.zip',
    dataset: 1272,
  }),
]
