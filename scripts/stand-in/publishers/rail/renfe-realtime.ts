import { capturesNamed, defineStandIn } from '../../define.ts'
import { type EntityJson, gtfsRealtime, seconds } from '../../formats/gtfs-realtime.ts'
import { type CaptureSet, type Edition, everyPeriod, type FeedStandIn, keptOf, type Variant } from '../../publisher.ts'
import { chance, hash } from '../../random.ts'
import { noticesAt, type RailNotice } from '../../world/rail-notices.ts'
import { type Train, trainsAt } from '../../world/rail-traffic.ts'
import type { World } from '../../world/world.ts'

/** A value that no enumeration of the schema has. */
const UNKNOWN_CODE = 99
/** The placeholder of a train without a known stop. */
const NO_STOP = '00000'
const MINUTE = 60_000

/** The common parts of the feeds of Renfe's live server. */
type About = Pick<FeedStandIn, 'feed'> &
  Partial<Pick<FeedStandIn, 'blocks' | 'captures'>> & {
    /** Name of the file without its extension. */
    readonly file: string
    /** Between two publications, ms. */
    readonly step: number
    readonly entities: (world: World, edition: Edition) => readonly EntityJson[]
  }

function realtime(about: About): FeedStandIn {
  const { feed, file, step, entities, ...rest } = about
  return defineStandIn(feed, {
    route: (path) => {
      if (path === `/${file}.json`) return 'json'
      return path === `/${file}.pb` ? 'protobuf' : null
    },
    // Positions and trip updates of one publication have the same time.
    publishedAt: everyPeriod(step, 5, 4),
    contentTypes: { protobuf: 'application/octet-stream' },
    headers: { 'Cache-Control': 'max-age=30' },
    write: (world, edition) => gtfsRealtime(keptOf(entities(world, edition), edition.variant), edition.resource, edition.stampedAt),
    ...rest,
  })
}

const COMMUTER_BLOCKS = { known: /^\d\d$/, usual: ['20'] }

/** Captures are named after their headers: vehicle_positions_20260502T112416Z.json. */
const capturesOf = (file: string): CaptureSet => ({
  folder: 'renfe-gtfsrt',
  capturedAt: capturesNamed(new RegExp(`^${file}_\\d{8}T\\d{6}Z\\.(?:trimmed\\.)?json`)),
})

const isThere = ({ trip }: Train, { missingBlocks }: Variant): boolean => trip.nucleo === null || !missingBlocks.includes(trip.nucleo)

const alerts = realtime({
  feed: 'renfe_alerts',
  file: 'alerts',
  step: 20_000,
  blocks: COMMUTER_BLOCKS,
  captures: capturesOf('alerts'),
  entities: (world, { publishedAt, variant }) =>
    noticesAt(world, publishedAt)
      .filter(({ lines }) => lines.length === 0 || lines.some(({ nucleo }) => !variant.missingBlocks.includes(nucleo)))
      .map((notice) => alertEntity(notice, { publishedAt, isUnknown: variant.hasUnknownCodes && notice.index % 10 === 3 })),
})

function alertEntity(notice: RailNotice, about: { readonly publishedAt: number; readonly isUnknown: boolean }): EntityJson {
  const { texts, lines, stopId } = notice
  // In every second publication, one notice in five has its texts in reverse order.
  const isTurned = notice.index % 5 === 2 && Math.floor(about.publishedAt / 20_000) % 2 === 1
  return {
    id: `${about.isUnknown ? 'AVERIA' : notice.isInformation ? 'INFO' : 'AVISO'}_${notice.number}`,
    alert: {
      activePeriod: [{ start: seconds(notice.startsAt) }],
      informedEntity: stopId === null ? lines.flatMap(({ routeIds }) => routeIds.map((routeId) => ({ routeId }))) : [{ stopId }],
      descriptionText: { translation: (isTurned ? texts.toReversed() : texts).map(({ text, language }) => ({ text, language })) },
    },
  }
}

const tripUpdates = realtime({
  feed: 'renfe_trip_updates',
  file: 'trip_updates',
  step: 20_000,
  blocks: COMMUTER_BLOCKS,
  captures: capturesOf('trip_updates'),
  entities: (world, { publishedAt, variant }) =>
    trainsAt(world, 'CERCANIAS', publishedAt)
      .filter((train) => isThere(train, variant))
      .map((train, at) => commuterUpdate(world.seed, train, variant.hasUnknownCodes && at % 10 === 3)),
})

function commuterUpdate(seed: number, train: Train, isUnknown: boolean): EntityJson {
  const { trip, delay_s, next, arrivesAt, skipped, isCancelled } = train
  const [tripId] = trip.tripIds
  const id = `TUUPDATE_${tripId}`
  if (isCancelled) return { id, tripUpdate: { trip: { tripId, scheduleRelationship: 'CANCELED' } } }
  const access = chance(seed, 'access', trip.key)
  const skips = skipped.map(({ stopId }) => ({ stopId, scheduleRelationship: 'SKIPPED' }))
  return {
    id,
    tripUpdate: {
      trip: { tripId, scheduleRelationship: isUnknown ? UNKNOWN_CODE : 'SCHEDULED' },
      stopTimeUpdate: [{ arrival: { delay: delay_s, time: seconds(arrivesAt) }, stopId: next.stopId }, ...turned(skips, trip.key)],
      vehicle:
        access > 0.85 ? undefined : { wheelchairAccessible: trip.isAccessible ? 'WHEELCHAIR_ACCESSIBLE' : 'WHEELCHAIR_INACCESSIBLE' },
      delay: delay_s,
    },
  }
}

/** The order is not always the running order. */
function turned<T>(items: readonly T[], key: number): readonly T[] {
  return key % 2 === 0 ? items : items.toReversed()
}

const tripUpdatesLd = realtime({
  feed: 'renfe_trip_updates_ld',
  file: 'trip_updates_LD',
  step: 30_000,
  entities: (world, { publishedAt, variant }) =>
    trainsAt(world, 'AVLDMD', publishedAt).flatMap((train, at) => longDistanceUpdates(train, variant.hasUnknownCodes && at % 10 === 0)),
})

/** A trip of each variant, with the delay only; a train may be cancelled on a part of its route. */
function longDistanceUpdates({ trip, delay_s, isCancelled }: Train, isUnknown: boolean): EntityJson[] {
  return trip.tripIds.map((tripId, at) => {
    const isOut = isCancelled || (at === 1 && trip.key % 5 === 0)
    const scheduleRelationship = isUnknown ? UNKNOWN_CODE : isOut ? 'CANCELED' : 'SCHEDULED'
    return { id: `TUUPDATE_${tripId}`, tripUpdate: { trip: { tripId, scheduleRelationship }, delay: isOut ? undefined : delay_s } }
  })
}

const positions = realtime({
  feed: 'renfe_positions',
  file: 'vehicle_positions',
  step: 20_000,
  blocks: COMMUTER_BLOCKS,
  captures: capturesOf('vehicle_positions'),
  entities: (world, { publishedAt, stampedAt, variant }) =>
    trainsAt(world, 'CERCANIAS', publishedAt)
      .filter((train) => !train.isCancelled && isThere(train, variant))
      .map((train, at) => commuterVehicle(world.seed, train, { stampedAt, isUnknown: variant.hasUnknownCodes && at % 10 === 3 })),
})

function commuterVehicle(seed: number, train: Train, about: { readonly stampedAt: number; readonly isUnknown: boolean }): EntityJson {
  const { trip, next, status } = train
  const { line, nucleo, trainNumber, key } = trip
  const rare = chance(seed, 'vehicle', key)
  // One vehicle in fifty has a number that differs from its trip's.
  const number = rare < 0.02 ? String(Number(trainNumber) + 50_000) : trainNumber
  const platform = 1 + (hash(seed, 'platform', key, Number(next.stopId)) % 4)
  // Each núcleo has its own clock, up to 8 s behind.
  const behind = hash(seed, 'clock', Number(nucleo), Math.floor(about.stampedAt / MINUTE)) % 9
  return {
    id: `VP_${line}-${number}`,
    vehicle: {
      trip: { tripId: trip.tripIds[0] },
      position: status === 'STOPPED_AT' && rare > 0.995 ? undefined : positionOf(train),
      currentStatus: about.isUnknown ? UNKNOWN_CODE : status,
      timestamp: seconds(about.stampedAt - behind * 1000),
      stopId: rare > 0.992 && rare < 0.995 ? NO_STOP : next.stopId,
      vehicle: {
        id: number,
        label: `${line}-${number}${rare > 0.9 && rare < 0.99 ? '' : `-PLATF.(${platform}${trip.isMetreGauge ? 'AM' : ''})`}`,
      },
    },
  }
}

const positionsLd = realtime({
  feed: 'renfe_positions_ld',
  file: 'vehicle_positions_LD',
  step: 20_000,
  entities: (world, { publishedAt, variant }) =>
    trainsAt(world, 'AVLDMD', publishedAt)
      .filter(({ isCancelled }) => !isCancelled)
      .map((train, at) => longDistanceVehicle(train, variant.hasUnknownCodes && at % 10 === 0)),
})

/** Single-precision numbers have at most eight digits. */
function positionOf({ lat, lon }: Train): { readonly latitude: number; readonly longitude: number } {
  return { latitude: Number(lat.toPrecision(8)), longitude: Number(lon.toPrecision(8)) }
}

/** It has no time of its own, and its status is never arriving. */
function longDistanceVehicle(train: Train, isUnknown: boolean): EntityJson {
  const { trip, status, next } = train
  return {
    id: `VP_${trip.trainNumber}`,
    vehicle: {
      trip: { tripId: trip.tripIds[0] },
      position: positionOf(train),
      currentStatus: isUnknown ? UNKNOWN_CODE : status === 'STOPPED_AT' ? status : 'IN_TRANSIT_TO',
      stopId: next.stopId,
      vehicle: { id: trip.trainNumber, label: trip.trainNumber },
    },
  }
}

/** Renfe's live server: GTFS-Realtime of both networks. */
export const renfeRealtime: readonly FeedStandIn[] = [alerts, tripUpdates, tripUpdatesLd, positions, positionsLd]
