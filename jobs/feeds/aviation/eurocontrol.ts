import { airportTraffic, arrivalAtfmDelays, enrouteAtfmDelays } from '../../../lake/datasets/aviation/eurocontrol-days.ts'
import { eurocontrol } from '../../../lake/datasets/aviation/sources.ts'
import { iataOfIcao } from '../../../lake/places/airports.ts'
import { type Feed, FormatError } from '../define.ts'
import { recordFeed } from '../kit/record-feed.ts'
import { DAY_COLUMNS, dayOf, delayColumns, delaysOf, wantedRecords, YEAR_BAND, yearlyFile, yearOf } from './eurocontrol-file.ts'

const AIRPORT_COLUMNS = { ...DAY_COLUMNS, icao: 'APT_ICAO' } as const
const KNOWN = ['MONTH_MON', 'APT_NAME', 'STATE_NAME']
const ofSpain = wantedRecords('APT_ICAO', (icao) => iataOfIcao(icao) !== null)

/** The code of an airport in the list of Spanish airports. */
function iataOf(icao: string): string {
  const iata = iataOfIcao(icao)
  if (iata === null) throw new FormatError('an airport that is not in the list')
  return iata
}

/** Flights of each airport by day. */
export const eurocontrolTraffic = recordFeed(
  {
    ...yearlyFile('airport_traffic'),
    id: 'eurocontrol_traffic',
    source: eurocontrol,
    into: airportTraffic,
    band: YEAR_BAND,
    columns: {
      ...AIRPORT_COLUMNS,
      ...{ departures: 'FLT_DEP_1', arrivals: 'FLT_ARR_1', movements: 'FLT_TOT_1' },
      ...{ reported_departures: 'FLT_DEP_IFR_2', reported_arrivals: 'FLT_ARR_IFR_2' },
    },
    knows: [...KNOWN, 'FLT_TOT_IFR_2', 'Pivot Label'],
    needs: ['year', 'month', 'day', 'icao', 'departures', 'arrivals', 'movements'],
    file: ({ name, column }) => yearOf(name, column('year')),
    row: (r, year) => ({
      edition: year,
      ...dayOf(r, year),
      ...{ iata: iataOf(r.text('icao')), icao: r.text('icao') },
      ...{ departures: r.integer('departures'), arrivals: r.integer('arrivals'), movements: r.integer('movements') },
      ...{ reported_departures: r.integer('reported_departures'), reported_arrivals: r.integer('reported_arrivals') },
    }),
  },
  ofSpain,
)

/** Delays of arrivals by regulations at their airport, by day and cause. */
export const eurocontrolArrivalDelays = recordFeed(
  {
    ...yearlyFile('apt_dly'),
    id: 'eurocontrol_arrival_delays',
    source: eurocontrol,
    into: arrivalAtfmDelays,
    band: YEAR_BAND,
    columns: { ...AIRPORT_COLUMNS, arrivals: 'FLT_ARR_1', ...delayColumns('APT_ARR', 'FLT_ARR_1') },
    knows: [...KNOWN, 'ATFM Version', 'Pivot Label'],
    needs: ['year', 'month', 'day', 'icao', 'arrivals'],
    nonEmptyFields: ['delay', 'delayed_15'],
    file: ({ name, column }) => yearOf(name, column('year')),
    row: (r, year) => ({
      edition: year,
      ...dayOf(r, year),
      ...{ iata: iataOf(r.text('icao')), icao: r.text('icao'), arrivals: r.integer('arrivals') },
      ...delaysOf(r),
    }),
  },
  ofSpain,
)

/** Delays en route by regulations in the airspace of a provider, or of flight information regions, by day and cause. */
function enrouteFeed(
  id: string,
  entityType: 'ANSP' | 'FIR',
  of: { readonly file: string; readonly entities: readonly string[]; readonly published: string },
): Feed {
  return recordFeed(
    {
      ...yearlyFile(of.file),
      id,
      source: eurocontrol,
      into: enrouteAtfmDelays,
      band: YEAR_BAND,
      columns: {
        ...DAY_COLUMNS,
        ...{ entity: 'ENTITY_NAME', type: 'ENTITY_TYPE', flights: 'FLT_ERT_1' },
        ...delayColumns('ERT', 'FLT_ERT_1'),
      },
      knows: ['MONTH_MON'],
      needs: ['year', 'month', 'day', 'entity', 'type', 'flights'],
      nonEmptyFields: ['delay', 'delayed_15'],
      file: ({ name, column }) => yearOf(name, column('year')),
      row: (r, year) => {
        if (r.text('type') !== of.published) throw new FormatError(`ENTITY_TYPE is not ${of.published}`)
        return {
          edition: `${entityType.toLowerCase()}-${year}`,
          ...dayOf(r, year),
          ...{ entity_type: entityType, entity: r.text('entity'), flights: r.integer('flights') },
          ...delaysOf(r),
        }
      },
    },
    wantedRecords('ENTITY_NAME', (name) => of.entities.includes(name)),
  )
}

/** En-route delays of Spain's provider. */
export const eurocontrolAnsp = enrouteFeed('eurocontrol_enroute_ansp', 'ANSP', {
  ...{ file: 'ert_dly_ansp', entities: ['ENAIRE'], published: 'ANSP (AUA)' },
})

/** En-route delays of Spain's flight information regions. */
export const eurocontrolFir = enrouteFeed('eurocontrol_enroute_fir', 'FIR', {
  ...{ file: 'ert_dly_fir', entities: ['Spain', 'Spain Continental', 'Spain Canarias'], published: 'COUNTRY (FIR)' },
})
