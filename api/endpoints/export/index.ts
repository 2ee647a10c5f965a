import { defineDomain } from '../../kernel/domain.ts'
import { exportList, exportManifest } from './manifest.ts'

/** Endpoints for bulk download, in the order in which documentation shows them. */
export const exports = defineDomain({
  id: 'export',
  title: { es: 'Descarga masiva', en: 'Bulk download' },
  endpoints: [exportList, exportManifest],
})
