import { defineCodes } from '../../schema/codes.ts'

/** Size of a harbour, as the World Port Index grades it. */
export const HARBOR_SIZES = defineCodes('harbor_size', 'Size of a harbour by its area, facilities and wharf space.', {
  LARGE: ['Grande', 'Large'],
  MEDIUM: ['Mediano', 'Medium'],
  SMALL: ['Pequeño', 'Small'],
  VERY_SMALL: ['Muy pequeño', 'Very small'],
})

/** Kind of a harbour, as the World Port Index has it. */
export const HARBOR_TYPES = defineCodes('harbor_type', 'Kind of harbour by how it is sheltered.', {
  COASTAL_NATURAL: ['Costero natural', 'Coastal, natural'],
  COASTAL_BREAKWATER: ['Costero con dique', 'Coastal, breakwater'],
  COASTAL_TIDE_GATE: ['Costero con esclusa de marea', 'Coastal, tide gate'],
  RIVER_NATURAL: ['Fluvial natural', 'River, natural'],
  RIVER_BASINS: ['Fluvial con dársenas', 'River, basins'],
  RIVER_TIDE_GATE: ['Fluvial con esclusa de marea', 'River, tide gate'],
  CANAL_OR_LAKE: ['Canal o lago', 'Canal or lake'],
  OPEN_ROADSTEAD: ['Rada abierta', 'Open roadstead'],
  TYPHOON_HARBOR: ['Refugio de tifones', 'Typhoon harbour'],
})
