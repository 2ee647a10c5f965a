import { CC_BY_4, defineSource } from '../../schema/sources.ts'

/** Renfe's open data: timetables and live GTFS-Realtime. */
export const renfe = defineSource({
  id: 'renfe',
  publisher: 'Renfe Viajeros',
  url: 'https://data.renfe.com/dataset',
  ...CC_BY_4,
  attribution: 'Origen de los datos: Renfe Viajeros, data.renfe.com',
})

/** FGC's open data: live positions of its trains, and its timetable. */
export const fgc = defineSource({
  id: 'fgc',
  publisher: 'Ferrocarrils de la Generalitat de Catalunya',
  url: 'https://dadesobertes.fgc.cat/explore/dataset/posicionament-dels-trens/',
  ...CC_BY_4,
  attribution: 'Font: Ferrocarrils de la Generalitat de Catalunya, dadesobertes.fgc.cat',
})

/** Open data of Madrid's regional transport consortium: timetables of the metro and of light rail. */
export const crtm = defineSource({
  id: 'crtm',
  publisher: 'Consorcio Regional de Transportes de Madrid',
  url: 'https://datos-movilidad.crtm.es/',
  licence: 'Datos abiertos del CRTM',
  licence_url: 'https://datos-movilidad.crtm.es/',
  attribution: 'Fuente: Consorcio Regional de Transportes de Madrid (CRTM)',
  commercial_use: 'yes',
})

/** FGV's timetables: Metrovalencia, and the tram of Alicante. */
export const fgv = defineSource({
  id: 'fgv',
  publisher: 'Ferrocarrils de la Generalitat Valenciana',
  url: 'https://www.metrovalencia.es/',
  licence: 'Licencia de uso de datos del Punto de Acceso Nacional',
  licence_url: 'https://nap.transportes.gob.es/licencia-datos',
  attribution: 'Fuente: Ferrocarrils de la Generalitat Valenciana',
  commercial_use: 'yes',
})

/** Source of Renfe's train map: publicly reachable, but without documentation or licence. */
export const renfeVisor = defineSource({
  id: 'renfe_visor',
  publisher: 'Renfe Viajeros',
  url: 'https://tiempo-real.largorecorrido.renfe.com/',
  licence: 'none stated',
  licence_url: 'https://tiempo-real.largorecorrido.renfe.com/',
  attribution: 'Renfe Viajeros, mapa de trenes en tiempo real',
  commercial_use: 'unknown',
})
