import { dateAfter, instantOf, offsetAt } from '../../../lake/schema/time.ts'
import type { ForecastPlace } from '../world/forecasts.ts'
import type { HourlyWeather } from '../world/weather.ts'

const HOUR = 3_600_000
const HOURS = 48
const DAYS = 7
const WORDS = ['N', 'NE', 'E', 'SE', 'S', 'SO', 'O', 'NO'] as const
const CLOUDS = ['Despejado', 'Poco nuboso', 'Intervalos nubosos', 'Nuboso', 'Muy nuboso', 'Cubierto'] as const

interface About {
  readonly issuedAt: number
  readonly hasUnknownCodes: boolean
}

type List = readonly Readonly<Record<string, unknown>>[]

/** The hourly forecast of a municipality in AEMET's format: every value is text, hours start at the hour of issue. */
export function hourlyForecastJson(place: ForecastPlace, { issuedAt, hasUnknownCodes }: About): Buffer {
  const first = Math.floor(issuedAt / HOUR) * HOUR
  const hours = Array.from({ length: HOURS }, (_, at) => first + at * HOUR)
  const byDay = Map.groupBy(hours, (begin) => local(begin, place.zone).slice(0, 10))
  const dia = [...byDay].map(([date, begins]) => {
    const list = (value: (weather: HourlyWeather, begin: number) => string): List =>
      begins.map((begin) => ({ value: value(place.hour(begin), begin), periodo: hourOf(begin, place.zone) }))
    const probability = (of: (weather: HourlyWeather) => boolean): List =>
      sixHours(date, place.zone).map(([from, name]) => {
        const inside = hours.filter((begin) => begin >= from && begin < from + 6 * HOUR)
        const hits = inside.filter((begin) => of(place.hour(begin))).length
        return { value: inside.length < 6 ? '' : String(Math.round((20 * hits) / 6) * 5), periodo: name }
      })
    return {
      estadoCielo: begins.map((begin) => ({ ...skyOf(place.hour(begin), isNight(begin, place.zone)), periodo: hourOf(begin, place.zone) })),
      precipitacion: list(({ prec }) => amount(prec)),
      probPrecipitacion: probability(({ prec }) => prec > 0),
      probTormenta: probability(({ prec }) => prec > 6),
      nieve: list((weather) => (snows(weather) ? amount(weather.prec) : '0')),
      probNieve: probability((weather) => weather.prec > 0 && snows(weather)),
      temperatura: list(({ ta }) => whole(ta)),
      sensTermica: list(({ ta, vv }) => whole(ta < 10 ? ta - vv / 2 : ta)),
      humedadRelativa: list(({ hr }) => String(hr)),
      // Wind and gust of an hour are consecutive entries in one list.
      vientoAndRachaMax: begins.flatMap((begin) => {
        const { vv, dv, vmax } = place.hour(begin)
        const periodo = hourOf(begin, place.zone)
        return [
          { direccion: [wordOf(vv, dv)], velocidad: [kmh(vv)], periodo },
          { value: kmh(vmax), periodo },
        ]
      }),
      ...(hasUnknownCodes && { visibilidad: list(({ vis }) => String(vis)) }),
      fecha: `${date}T00:00:00`,
      orto: '07:41',
      ocaso: '18:52',
    }
  })
  return documentOf(place, { dia, issuedAt, page: 'municipios/horas', id: place.municipality.code, version: '1.0' })
}

/** The forecast of seven days in AEMET's format: numbers, empty texts, and a first day that is half over. */
export function dailyForecastJson(place: ForecastPlace, { issuedAt, hasUnknownCodes }: About): Buffer {
  const dates: string[] = [local(issuedAt, place.zone).slice(0, 10)]
  while (dates.length < DAYS) dates.push(dateAfter(dates.at(-1) as string))
  const dia = dates.map((date, at) => dayOf(place, date, { at, issuedAt, hasUnknownCodes }))
  // As a number, the code of a municipality in the first nine provinces loses its leading 0.
  return documentOf(place, { dia, issuedAt, page: 'municipios', id: Number(place.municipality.code), version: 1 })
}

function dayOf(place: ForecastPlace, date: string, about: About & { readonly at: number }): Record<string, unknown> {
  const start = instantOf(date, '00:00', { zone: place.zone })
  const of = (from: number, to: number): HourlyWeather[] =>
    Array.from({ length: to - from }, (_, hour) => place.hour(start + (from + hour) * HOUR))
  const day = of(0, 24)
  const list = (make: (hours: readonly HourlyWeather[], isOver: boolean) => Record<string, unknown>): List =>
    periodsOf(about.at).map((period) => {
      const [from, to] = period ?? [0, 24]
      const isOver = start + (from + 1) * HOUR <= about.issuedAt
      return { ...make(of(from, to), isOver), ...(period && { periodo: `${two(from)}-${two(to)}` }) }
    })
  const range = (value: (weather: HourlyWeather) => number): Record<string, unknown> => ({
    maxima: Math.round(Math.max(...day.map(value))),
    minima: Math.round(Math.min(...day.map(value))),
    dato: about.at > 1 ? [] : [6, 12, 18, 24].map((hora) => ({ value: Math.round(value(day[hora - 1] as HourlyWeather)), hora })),
  })
  const middle = (hours: readonly HourlyWeather[]): HourlyWeather => hours[Math.floor(hours.length / 2)] as HourlyWeather
  return {
    probPrecipitacion: list((hours, isOver) => ({
      value: isOver ? 0 : Math.round((20 * hours.filter(({ prec }) => prec > 0).length) / hours.length) * 5,
    })),
    cotaNieveProv: list((hours, isOver) => ({ value: !isOver && hours.some((one) => one.prec > 0 && snows(one)) ? '900' : '' })),
    estadoCielo: list((hours, isOver) => (isOver ? { value: '', descripcion: '' } : skyOf(middle(hours), false))),
    viento: list((hours, isOver) =>
      isOver
        ? { direccion: '', velocidad: 0 }
        : { direccion: wordOf(middle(hours).vv, middle(hours).dv), velocidad: Number(kmh(middle(hours).vv)) },
    ),
    rachaMax: list((hours, isOver) => {
      const gust = Math.max(...hours.map(({ vmax }) => vmax))
      return { value: !isOver && gust >= 8 ? kmh(gust) : '' }
    }),
    temperatura: range(({ ta }) => ta),
    sensTermica: range(({ ta, vv }) => (ta < 10 ? ta - vv / 2 : ta)),
    humedadRelativa: range(({ hr }) => hr),
    ...(about.at < 5 && { uvMax: 3 }),
    ...(about.hasUnknownCodes && { visibilidad: 20 }),
    fecha: `${date}T00:00:00`,
  }
}

/** The parts of a day in the forecast, by days ahead; null for the whole day without a name. */
function periodsOf(ahead: number): readonly (readonly [number, number] | null)[] {
  if (ahead > 3) return [null]
  const halves = [
    [0, 24],
    [0, 12],
    [12, 24],
  ] as const
  return ahead > 1 ? halves : [...halves, [0, 6], [6, 12], [12, 18], [18, 24]]
}

function documentOf(
  { municipality, zone }: ForecastPlace,
  about: { readonly dia: unknown; readonly issuedAt: number; readonly page: string; readonly id: unknown; readonly version: unknown },
): Buffer {
  const { dia, issuedAt, page, id, version } = about
  const document = {
    origen: {
      productor: 'Agencia Estatal de Meteorología - AEMET. Gobierno de España',
      web: 'https://www.aemet.es',
      enlace: `https://www.aemet.es/es/eltiempo/prediccion/${page}/id${municipality.code}`,
      language: 'es',
      copyright: '© AEMET. Autorizado el uso de la información y su reproducción citando a AEMET como autora de la misma.',
      notaLegal: 'https://www.aemet.es/es/nota_legal',
    },
    elaborado: local(issuedAt, zone),
    nombre: municipality.name,
    provincia: 'España',
    prediccion: { dia },
    id,
    version,
  }
  return Buffer.from(JSON.stringify([document], null, 2), 'latin1')
}

/** The named six-hour periods of a day's probabilities: they follow the runs of the model, at 00, 06, 12 and 18 UTC. */
function sixHours(date: string, zone: string): [from: number, name: string][] {
  const shift = (offsetAt(instantOf(date, '12:00', { zone }), zone) / HOUR) % 6
  return [0, 6, 12, 18].map((hour) => {
    const from = shift + hour
    const to = from + 6 > 24 ? from - 18 : from + 6
    return [instantOf(date, `${from}:00`, { zone }), `${two(from)}${two(to)}`]
  })
}

function skyOf({ prec, hr, vis, ta }: HourlyWeather, isNight: boolean): { value: string; descripcion: string } {
  const night = isNight ? 'n' : ''
  if (vis < 1) return { value: `81${night}`, descripcion: 'Niebla' }
  const cover = Math.min(5, Math.max(0, Math.floor((hr - 40) / 9)))
  if (prec === 0) return { value: `1${cover + 1}${night}`, descripcion: CLOUDS[cover] as string }
  const clouds = Math.max(2, cover)
  const isSnow = snows({ ta })
  const [tens, what] = prec < 1 ? (isSnow ? [7, 'nieve escasa'] : [4, 'lluvia escasa']) : isSnow ? [3, 'nieve'] : [2, 'lluvia']
  return { value: `${tens}${tens === 7 ? clouds - 1 : clouds + 1}${night}`, descripcion: `${CLOUDS[clouds]} con ${what}` }
}

const snows = ({ ta }: Pick<HourlyWeather, 'ta'>): boolean => ta <= 1
const two = (value: number): string => String(value).padStart(2, '0')
const kmh = (m_s: number): string => String(Math.round(3.6 * m_s))
/** A number as AEMET prints it: values slightly below 0 are -0. */
const whole = (value: number): string => (Object.is(Math.round(value), -0) ? '-0' : String(Math.round(value)))
const amount = (mm: number): string => (mm > 0 && mm < 0.15 ? 'Ip' : String(Math.round(10 * mm) / 10))
const wordOf = (m_s: number, degrees: number): string => (m_s < 0.6 ? 'C' : (WORDS[Math.round(degrees / 45) % 8] as string))
const local = (instant: number, zone: string): string => new Date(instant + offsetAt(instant, zone)).toISOString().slice(0, 19)
const hourOf = (instant: number, zone: string): string => local(instant, zone).slice(11, 13)
function isNight(instant: number, zone: string): boolean {
  const hour = Number(hourOf(instant, zone))
  return hour < 8 || hour > 18
}
