import { capturesNamed, defineStandIn } from '../../define.ts'
import { everyPeriod, type FeedStandIn, keptOf } from '../../publisher.ts'
import { chance, hash } from '../../random.ts'
import { type Train, trainsAt } from '../../world/rail-traffic.ts'
import { localText } from '../../world/rhythm.ts'
import type { TripStop } from '../../world/running-trips.ts'

const STEP = 30_000
/** Local time without an offset. */
const LOCAL = 'YYYY-MM-DDThh:mm:ss'
/** `codProduct` of a product, with the series that run it. */
const PRODUCTS: Readonly<Record<string, readonly [code: number, series: string]>> = {
  AVE: [2, '103'],
  AVLO: [28, '112'],
  AVANT: [3, '104'],
  ALVIA: [11, '130'],
  Intercity: [13, '120'],
  MD: [16, '449'],
  REGIONAL: [18, '470'],
  PROXIMDAD: [18, '470'],
  'REG.EXP.': [19, '447'],
}
const UNKNOWN_PRODUCT = 77
/** Núcleos that are never on the map, and the map's number of Rodalies. */
const ABSENT = new Set(['31', '45', '46', '47'])
const RODALIES = '50'

/** Its validators and other headers were not recorded. */
const SHARED = { publishedAt: everyPeriod(STEP, 9, 9), validators: 'none' } as const

const flotaLd = defineStandIn('renfe_flota_ld', {
  ...SHARED,
  write(world, { publishedAt, stampedAt, variant }) {
    const trains = trainsAt(world, 'AVLDMD', publishedAt).filter(({ isCancelled }) => !isCancelled)
    const about = { seed: world.seed, stampedAt }
    return mapJson(
      keptOf(trains, variant).map((train, at) => longDistance(train, { ...about, isUnknown: variant.hasUnknownCodes && at % 10 === 0 })),
      stampedAt,
    )
  },
  captures: {
    folder: 'renfe-flota',
    // flotaLD_2026-03-11T15-14-29Z.json
    capturedAt: capturesNamed(/^flotaLD_[\dTZ-]+\.json/),
  },
})

const flota = defineStandIn('renfe_flota', {
  ...SHARED,
  blocks: { known: /^\d\d$/, usual: ['20'] },
  write(world, { publishedAt, stampedAt, variant }) {
    const trains = trainsAt(world, 'CERCANIAS', publishedAt).filter(({ trip, isCancelled }) => {
      const nucleo = trip.nucleo ?? ''
      return !isCancelled && !ABSENT.has(nucleo) && !variant.missingBlocks.includes(nucleo)
    })
    return mapJson(
      keptOf(trains, variant).map((train, at) => commuter(train, { stampedAt, isUnknown: variant.hasUnknownCodes && at % 10 === 3 })),
      stampedAt,
    )
  },
})

/** The map of Renfe's trains: one host for each network. */
export const renfeVisor: readonly FeedStandIn[] = [flotaLd, flota]

function mapJson(trains: readonly object[], stampedAt: number): string {
  return JSON.stringify({ fechaActualizacion: localText(stampedAt, LOCAL), trenes: trains }, null, 2)
}

/** Every second train's expected arrival has no seconds. */
function arrivalOf({ arrivesAt, trip }: Train): string {
  return localText(arrivesAt, trip.key % 4 === 0 ? 'YYYY-MM-DDThh:mm' : LOCAL)
}

function endsOf({ trip: { stops } }: Train): { readonly origin: string; readonly destination: string } {
  return { origin: stops[0].stopId, destination: (stops.at(-1) as TripStop).stopId }
}

function longDistance(train: Train, about: { readonly seed: number; readonly stampedAt: number; readonly isUnknown: boolean }): object {
  const { trip, delay_s, lat, lon, next, previous } = train
  const { seed, stampedAt, isUnknown } = about
  const [product, series] = PRODUCTS[trip.product] as (typeof PRODUCTS)[string]
  const units = Array.from({ length: chance(seed, 'units', trip.key) < 0.2 ? 2 : 1 }, (_, nth) => {
    return `${series}${String(1 + (hash(seed, 'unit', trip.key, nth) % 60)).padStart(3, '0')}`
  })
  const { origin, destination } = endsOf(train)
  return {
    codComercial: trip.trainNumber,
    codEstAnt: previous.stopId,
    codEstSig: next.stopId,
    horaLlegadaSigEst: arrivalOf(train),
    codProduct: isUnknown ? UNKNOWN_PRODUCT : product,
    codOrigen: origin,
    codDestino: destination,
    desCorridor: trip.line,
    accesible: trip.isAccessible,
    ultRetraso: String(delay_s / 60),
    latitud: Number(lat.toPrecision(8)),
    longitud: Number(lon.toPrecision(8)),
    time: Math.floor(stampedAt / 1000) - (hash(seed, 'fix', trip.key, stampedAt / 1000) % 60),
    p: String(1 + (trip.key % 4)),
    mat: units.join(','),
  }
}

function commuter(train: Train, about: { readonly stampedAt: number; readonly isUnknown: boolean }): object {
  const { trip, delay_s, lat, lon, next, previous, status } = train
  const { origin, destination } = endsOf(train)
  const track = String(1 + (trip.key % 4))
  const moving = trip.key % 3 === 0 ? 'S' : trip.key % 3 === 1 ? 'E' : 42
  return {
    tripId: trip.tripIds[0],
    codTren: trip.trainNumber,
    codLinea: trip.line,
    retrasoMin: String(Math.trunc(delay_s / 60)),
    codEstAct: previous.stopId,
    codEstSig: next.stopId,
    horaLlegadaSigEst: localText(train.arrivesAt, LOCAL),
    codEstDest: destination,
    codEstOrig: origin,
    porAvanc: about.isUnknown ? 'Z' : status === 'STOPPED_AT' ? 'A' : moving,
    latitud: Number(lat.toPrecision(8)),
    longitud: Number(lon.toPrecision(8)),
    nucleo: trip.nucleo === '51' ? RODALIES : trip.nucleo,
    accesible: trip.key % 4 === 0,
    via: trip.key % 20 === 0 ? '-' : track,
    nextVia: trip.key % 20 === 1 ? null : track,
  }
}
