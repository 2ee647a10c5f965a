import { CC_BY_4, defineSource } from '../../schema/sources.ts'

/** The ministry's national air quality index. */
export const mitecoIca = defineSource({
  id: 'miteco_ica',
  publisher: 'Ministerio para la Transición Ecológica y el Reto Demográfico',
  url: 'https://ica.miteco.es/',
  ...CC_BY_4,
  attribution: 'Origen de los datos: Ministerio para la Transición Ecológica y el Reto Demográfico, Índice Nacional de Calidad del Aire',
})

/** The network of the city of Madrid. */
export const madridAir = defineSource({
  id: 'madrid_air',
  publisher: 'Ayuntamiento de Madrid',
  url: 'https://datos.madrid.es/dataset/212531-0-calidad-aire-tiempo-real',
  ...CC_BY_4,
  attribution: 'Origen de los datos: Ayuntamiento de Madrid',
})

/** The network in the city of Barcelona. */
export const barcelonaAir = defineSource({
  id: 'barcelona_air',
  publisher: 'Ajuntament de Barcelona',
  url: 'https://opendata-ajuntament.barcelona.cat/data/ca/dataset/qualitat-aire-detall-bcn',
  ...CC_BY_4,
  attribution: 'Font: Ajuntament de Barcelona, Open Data BCN',
})
