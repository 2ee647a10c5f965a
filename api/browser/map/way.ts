import type { MapMouseEvent, Map as MapView } from 'maplibre-gl'
import { openCard } from './card.ts'
import { ApiProblem, ask, isOpen } from './data.ts'
import { count, covered, element, find, hashParams, item, keepInUrl, language } from './dom.ts'
import { boundsOf, type Place } from './geometry.ts'
import { type Board, hours, number, type Properties } from './layer.ts'
import type { Overlays } from './overlays.ts'
import type { Collection } from './requests.ts'
import { commonRoad, encoded, length_m, lineOf, partOf, type RoadPlace, wayOverTwo } from './road-way.ts'
import { searchPlaces } from './search.ts'

/** What the form works with. */
interface WayParts {
  readonly view: MapView
  readonly token: string
  readonly overlays: Overlays
}

/** The form of what is on the way between two places. */
export interface Way {
  open(): void
}

const WORDS = {
  es: {
    from: 'Desde',
    to: 'Hasta',
    pick: 'Escriba dos lugares, o pulse dos puntos del mapa.',
    searching: 'Buscando el camino…',
    clear: 'Borrar',
    close: 'Cerrar',
    noRoad: 'No hay ninguna carretera con kilómetros localizados a menos de 5 km de uno de los lugares.',
    noWay: 'No se encontró un camino por una carretera, ni por dos que se crucen.',
    plan: 'Lo que hay en el camino necesita una clave PRO: escríbala en el panel.',
    nothing: 'No hay nada en este camino.',
    km: 'km',
    now: (now: string, usual: string) => `Ahora ${now}${usual === '' ? '' : `, normalmente ${usual}`} en los tramos medidos.`,
    delay: 'Retraso',
    limit: 'Límite',
    closed: 'Cortada',
  },
  en: {
    from: 'From',
    to: 'To',
    pick: 'Type two places, or click two points of the map.',
    searching: 'Searching the way…',
    clear: 'Clear',
    close: 'Close',
    noRoad: 'There is no road with located kilometres within 5 km of one of the places.',
    noWay: 'No way was found along one road, or two that meet.',
    plan: 'What is on the way needs a PRO key: enter it in the panel.',
    nothing: 'There is nothing on this way.',
    km: 'km',
    now: (now: string, usual: string) => `Now ${now}${usual === '' ? '' : `, usually ${usual}`} on the measured parts.`,
    delay: 'Delay',
    limit: 'Limit',
    closed: 'Closed',
  },
}[language]

const KINDS: Readonly<Record<string, string>> = {
  es: {
    ...{ INCIDENT: 'Incidencia', WORKS: 'Obras', BEACON: 'Baliza V16', PANEL: 'Panel', CAMERA: 'Cámara', SPEED_CAMERA: 'Radar' },
    ...{
      WEATHER_WARNING: 'Aviso',
      WEATHER_STATION: 'Tiempo',
      FUEL_STATION: 'Gasolinera',
      CHARGING_SITE: 'Recarga',
      LOW_EMISSION_ZONE: 'ZBE',
    },
  },
  en: {
    ...{ INCIDENT: 'Incident', WORKS: 'Roadworks', BEACON: 'V16 beacon', PANEL: 'Panel', CAMERA: 'Camera', SPEED_CAMERA: 'Speed camera' },
    ...{
      WEATHER_WARNING: 'Warning',
      WEATHER_STATION: 'Weather',
      FUEL_STATION: 'Fuel',
      CHARGING_SITE: 'Charging',
      LOW_EMISSION_ZONE: 'Low-emission zone',
    },
  },
}[language]

/** Something on the way, as `/api/trafico/ruta` lists it. */
interface RouteItem extends Properties {
  readonly kind: string
  readonly title: string
  readonly distance_from_start_m: number
  readonly lat: number | null
  readonly lon: number | null
  readonly price: number | null
  readonly url: string
  readonly incident: { readonly delay_minutes: number | null; readonly is_closed: boolean } | null
  readonly panel: { readonly text: string | null; readonly speed_limit_kmh: number | null } | null
  readonly speed_camera: { readonly speed_limit_kmh: number | null } | null
  readonly weather: { readonly temp_c: number | null; readonly precipitation_mm: number | null } | null
}
interface RouteReply {
  readonly items: readonly RouteItem[]
  readonly current_time_s: number | null
  readonly typical_time_s: number | null
}

/** A reason why there is no way, in words for the person. */
class NoWay extends Error {}

/** Farthest road of a place, m, and the roads that are tried if no single one leads from place to place. */
const NEAR_M = 5000
const TRIED = 3
/** Tolerance of drawn roads, m. */
const SIMPLIFIED_M = 40

function detailsOf(of: RouteItem): string[] {
  const { price, incident, speed_camera, weather } = of
  return [
    typeof price === 'number' ? number(price, '€/l', language) : '',
    incident?.is_closed ? WORDS.closed : '',
    incident?.delay_minutes ? `${WORDS.delay}: ${number(incident.delay_minutes, 'min', language)}` : '',
    speed_camera?.speed_limit_kmh ? `${WORDS.limit}: ${number(speed_camera.speed_limit_kmh, 'km/h', language)}` : '',
    weather ? [number(weather.temp_c, '°C', language), number(weather.precipitation_mm, 'mm', language)].filter(Boolean).join(', ') : '',
  ].filter(Boolean)
}

function boardOf({ panel }: RouteItem): Board | null {
  if (!panel || (panel.text === null && panel.speed_limit_kmh === null)) return null
  return { pages: panel.text === null ? [] : [[panel.text]], limit_kmh: panel.speed_limit_kmh }
}

/** What a person reads at first: without a key, also what the plan adds. */
const intro = (): string => (isOpen({ plan: 'PRO' }) ? WORDS.pick : `${WORDS.pick} ${WORDS.plan}`)

/** Opens the form: two places by name or by click; the way between them along the roads, and what is on it in its order. */
export function openWay({ view, token, overlays }: WayParts): Way {
  const section = find('way')
  const opener = find('way-open')
  const frame = find('map')
  const note = element('p', { class: 'note', role: 'status' })
  const list = element('ol', {})
  const ends: (Place | null)[] = [null, null]
  let latest = 0

  const fields = [WORDS.from, WORDS.to].map((name, at) => {
    const field = element('input', { id: `way-${at}`, type: 'search', autocomplete: 'off' })
    const hits = element('ul', {})
    const form = element('form', {}, element('label', { for: `way-${at}` }, name), field, hits)
    searchPlaces(field, {
      ...{ hits, token },
      choose: (title, place) => {
        field.value = title
        setEnd(at, place)
        if (at === 0 && ends[1] === null) fields[1]?.field.focus()
      },
    })
    return { field, form }
  })
  const clear = element('button', { type: 'button', class: 'quiet' }, WORDS.clear)
  section.replaceChildren(...fields.map(({ form }) => form), clear, note, list)

  const drawEnds = (line: readonly Place[]): void => {
    const points = ends.flatMap((place, at): GeoJSON.Feature[] =>
      place ? [{ type: 'Feature', properties: { name: 'AB'[at] }, geometry: { type: 'Point', coordinates: [...place] } }] : [],
    )
    const way: GeoJSON.Feature = {
      type: 'Feature',
      properties: {},
      geometry: { type: 'LineString', coordinates: line.map((one) => [...one]) },
    }
    overlays.set('way', line.length > 1 ? [way, ...points] : points)
  }
  const setEnd = (at: number, place: Place): void => {
    ends[at] = place
    drawEnds([])
    frame.toggleAttribute('data-picks', ends.includes(null))
    void search()
  }

  const placesNear = ([lon, lat]: Place): Promise<readonly RoadPlace[]> =>
    ask<{ readonly places: readonly RoadPlace[] }>(`/api/geo/pk?lat=${lat}&lon=${lon}&radius=${NEAR_M}&limit=50`, token).then(
      ({ places }) => places,
    )
  const roadLine = async (road: string, km: readonly [number, number] | null): Promise<Place[]> => {
    const stretch = km === null ? '' : `&km_from=${Math.min(...km)}&km_to=${Math.max(...km)}`
    const path = `/api/carreteras/${encodeURIComponent(road)}/geometria?direction=POSITIVE&simplify=${SIMPLIFIED_M}${stretch}`
    return lineOf((await ask<Collection>(path, token)).features)
  }
  /** The way from one place to another: its line, and the parameters of the request for what is on it. */
  const wayBetween = async (from: Place, to: Place): Promise<{ readonly line: Place[]; readonly query: string; readonly name: string }> => {
    const [near, far] = await Promise.all([placesNear(from), placesNear(to)])
    if (near.length === 0 || far.length === 0) throw new NoWay(WORDS.noRoad)
    const common = commonRoad(near, far)
    if (common) {
      const { road } = common
      const km = [common.from.km, common.to.km] as const
      const line = partOf(await roadLine(road, km), [common.from.lon, common.from.lat], [common.to.lon, common.to.lat])
      return { line, query: `road=${encodeURIComponent(road)}&km_from=${km[0]}&km_to=${km[1]}`, name: road }
    }
    const roadsOf = (places: readonly RoadPlace[]): string[] => [...new Set(places.map(({ road }) => road))].slice(0, TRIED)
    const linesOf = (places: readonly RoadPlace[]): Promise<Place[][]> => Promise.all(roadsOf(places).map((road) => roadLine(road, null)))
    const line = wayOverTwo(await linesOf(near), await linesOf(far), [from, to])
    if (!line) throw new NoWay(WORDS.noWay)
    return { line, query: `path=${encodeURIComponent(encoded(line))}`, name: '' }
  }

  const listItems = ({ items, current_time_s, typical_time_s }: RouteReply, about: string): void => {
    const time = current_time_s === null ? '' : ` ${WORDS.now(hours(current_time_s, language), hours(typical_time_s, language))}`
    const kinds = Map.groupBy(items, ({ kind }) => kind)
    const counts = [...kinds].map(([kind, all]) => `${KINDS?.[kind] ?? kind} ${count(all.length)}`).join(', ')
    note.textContent = `${about}${time} ${items.length === 0 ? WORDS.nothing : counts}`
    list.replaceChildren(
      ...items.map((one) => {
        const km = (one.distance_from_start_m / 1000).toLocaleString(language, { maximumFractionDigits: 1 })
        const line = [`${km} km`, KINDS?.[one.kind] ?? one.kind, ...detailsOf(one), one.panel?.text ?? ''].filter(Boolean).join(', ')
        const button = item(one.title, line, () => {
          openCard({
            ...{ kind: `${KINDS?.[one.kind] ?? one.kind}, ${km} km`, title: one.title, lines: detailsOf(one), board: boardOf(one) },
            path: one.url,
            plan: 'FREE',
          })
          if (one.lat !== null && one.lon !== null) view.easeTo({ center: [one.lon, one.lat], zoom: Math.max(view.getZoom(), 11) })
        })
        return element('li', {}, button)
      }),
    )
  }
  const search = async (): Promise<void> => {
    const [from, to] = ends
    if (!from || !to) return
    const mine = ++latest
    keepInUrl('way', [from, to].map((place) => place.map((one) => one.toFixed(4)).join(',')).join(';'))
    note.textContent = WORDS.searching
    list.replaceChildren()
    try {
      const { line, query, name } = await wayBetween(from, to)
      if (mine !== latest) return
      drawEnds(line)
      const [west, south, east, north] = boundsOf([...line, from, to])
      view.fitBounds([west, south, east, north], { padding: covered(40), maxZoom: 13 })
      const about = [name, number(Math.round(length_m(line) / 100) / 10, 'km.', language)].filter(Boolean).join(', ')
      note.textContent = about
      if (!isOpen({ plan: 'PRO' })) throw new NoWay(`${about} ${WORDS.plan}`)
      const reply = await ask<RouteReply>(`/api/trafico/ruta?${query}&lang=${language}`, token, { plan: 'PRO' }).catch((error: unknown) => {
        const isLocked = error instanceof ApiProblem && [401, 403].includes(error.status)
        throw isLocked ? new NoWay(`${about} ${WORDS.plan}`) : error
      })
      if (mine === latest) listItems(reply, about)
    } catch (error) {
      if (mine !== latest) return
      note.textContent = error instanceof Error ? error.message : String(error)
    }
    note.scrollIntoView({ block: 'nearest' })
  }
  const reset = (): void => {
    latest++
    ends.fill(null)
    for (const { field } of fields) field.value = ''
    list.replaceChildren()
    note.textContent = intro()
    overlays.set('way', [])
    keepInUrl('way', null)
  }
  clear.addEventListener('click', () => {
    reset()
    frame.toggleAttribute('data-picks', true)
    fields[0]?.field.focus()
  })
  view.on('click', ({ lngLat }: MapMouseEvent) => {
    const at = ends.indexOf(null)
    if (section.hidden || at === -1) return
    const field = fields[at]?.field
    if (field) field.value = `${lngLat.lat.toFixed(4)}, ${lngLat.lng.toFixed(4)}`
    setEnd(at, [lngLat.lng, lngLat.lat])
  })

  return {
    open() {
      section.hidden = !section.hidden
      opener.setAttribute('aria-expanded', String(!section.hidden))
      frame.toggleAttribute('data-picks', !section.hidden && ends.includes(null))
      if (section.hidden) return reset()
      note.textContent = intro()
      const places = (hashParams().get('way') ?? '').split(';').map((one) => one.split(',').map(Number))
      if (places.length === 2 && places.flat().length === 4 && places.flat().every((one) => !Number.isNaN(one)))
        for (const [at, place] of places.entries()) {
          const [lon, lat] = place as [number, number]
          const field = fields[at]?.field
          if (field) field.value = `${lat}, ${lon}`
          setEnd(at, [lon, lat])
        }
      else fields[0]?.field.focus()
    },
  }
}
