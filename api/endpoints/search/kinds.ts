import { VESSEL_TYPES } from '../../../lake/datasets/maritime/vessels.ts'
import { RAIL_NETWORKS } from '../../../lake/datasets/rail/codes.ts'
import { SPEED_CAMERA_TYPES } from '../../../lake/datasets/road/codes.ts'

/** English for what subtitles begin with: the kind of the thing, in Spanish. */
const KINDS: readonly (readonly [es: string, en: string])[] = [
  ...[VESSEL_TYPES, RAIL_NETWORKS, SPEED_CAMERA_TYPES].flatMap(({ codes }) => Object.values(codes).map(({ es, en }) => [es, en] as const)),
  ...([
    ['Estación de calidad del aire', 'Air quality station'],
    ['Estación meteorológica', 'Weather station'],
    ['Estación de aforo', 'Traffic counting station'],
    ['Estación de tren', 'Railway station'],
    ['Estación de metro', 'Metro station'],
    ['Parada de tranvía', 'Tram stop'],
    ['Estación', 'Station'],
    ['Tren', 'Train'],
    ['Aeropuerto', 'Airport'],
    ['Puerto', 'Port'],
    ['Buque', 'Vessel'],
    ['Isla', 'Island'],
    ['Provincia', 'Province'],
    ['Corredor', 'Corridor'],
    ['Punto negro', 'Black spot'],
    ['Zona de bajas emisiones', 'Low-emission zone'],
  ] as const),
]
/** The same where a name follows at once. */
const BEFORE_NAMES = [
  ['Cercanías de ', 'Commuter trains of '],
  ['sentido ', 'towards '],
] as const

/** Collections whose subtitles begin with an address or another name, which may be like a kind. */
const WITHOUT_KINDS: ReadonlySet<string> = new Set([
  'gas-stations',
  'marine-stations',
  'charging-sites',
  'datasets',
  'municipalities',
  'roads',
])

/** A hit, with its kind in English if that is the language; a highlight in the kind goes. */
export function withKindIn<
  H extends {
    readonly collection: string
    readonly subtitle: string | null
    readonly highlights?: readonly { readonly field: string; readonly start: number }[]
  },
>(hit: H, lang: string): H {
  const { collection, subtitle, highlights } = hit
  if (lang !== 'en' || subtitle === null || WITHOUT_KINDS.has(collection)) return hit
  const kind =
    KINDS.find(([es]) => subtitle === es || subtitle.startsWith(`${es}, `)) ?? BEFORE_NAMES.find(([es]) => subtitle.startsWith(es))
  if (!kind) return hit
  const [es, en] = kind
  const moved = highlights?.flatMap((one) => {
    if (one.field !== 'subtitle') return [one]
    return one.start < es.length ? [] : [{ ...one, start: one.start + en.length - es.length }]
  })
  return { ...hit, subtitle: en + subtitle.slice(es.length), ...(moved ? { highlights: moved } : {}) }
}
