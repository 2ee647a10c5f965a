import type { MapMouseEvent, Map as MapView } from 'maplibre-gl'
import { openCard } from './card.ts'
import { ApiProblem, ask, isOpen } from './data.ts'
import { count, covered, element, find, hashParams, item, keepInUrl, language, textsIn } from './dom.ts'
import { boundsOf, type Place } from './geometry.ts'
import { type Board, hours, number, type Properties } from './layers/layer.ts'
import type { Overlays } from './overlays.ts'
import type { Collection } from './requests.ts'
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
    noWay: 'Ningún camino por carreteras conocidas lleva de un lugar al otro; cada uno debe estar a menos de 5 km de una.',
    plan: 'El camino se ve sin clave; lo que hay en él necesita una clave PRO: escríbala en el panel.',
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
    noWay: 'No way over known roads leads from place to place; each must be within 5 km of one.',
    plan: 'The way is shown without a key; what is on it needs a PRO key: enter it in the panel.',
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

/** A way along roads, and the parameters of the requests for it. */
interface FoundWay {
  readonly line: readonly Place[]
  readonly roads: readonly string[]
  readonly length_m: number
  readonly query: string
}

/** A reason why there is no way, in words for the person. */
class NoWay extends Error {}

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
        // The other name may have been typed, and not chosen.
        const other = fields[1 - at]
        if (!other || ends[1 - at] !== null) return
        if (other.field.value.trim() !== '') other.form.requestSubmit()
        else if (at === 0) other.field.focus()
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

  const wayBetween = async (from: Place, to: Place): Promise<FoundWay> => {
    const [origin, destination] = [from, to].map(([lon, lat]) => `${lat.toFixed(6)},${lon.toFixed(6)}`)
    const query = `origin=${origin}&destination=${destination}`
    const { features } = await ask<Collection>(`/api/geo/ruta?${query}&simplify=${SIMPLIFIED_M}`, token).catch((error: unknown) => {
      throw error instanceof ApiProblem && error.status === 400 ? new NoWay(WORDS.noWay) : error
    })
    return {
      ...{ query, roads: [...new Set(features.map(({ properties }) => String(properties?.['road'])))] },
      line: features.flatMap(({ geometry }) => (geometry?.type === 'LineString' ? (geometry.coordinates as [number, number][]) : [])),
      length_m: features.reduce((sum, { properties }) => sum + Number(properties?.['length_m']), 0),
    }
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
      const { line, query, roads, length_m } = await wayBetween(from, to)
      if (mine !== latest) return
      drawEnds(line)
      const [west, south, east, north] = boundsOf([...line, from, to])
      view.fitBounds([west, south, east, north], { padding: covered(40), maxZoom: 13 })
      const about = `${roads.join(', ')}, ${number(Math.round(length_m / 100) / 10, 'km.', language)}`
      note.textContent = about
      if (!isOpen({ plan: 'PRO' })) throw new NoWay(`${about} ${WORDS.plan}`)
      const reply = await ask<RouteReply>(`/api/trafico/ruta?${query}&lang=${textsIn}`, token, { plan: 'PRO' }).catch((error: unknown) => {
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
