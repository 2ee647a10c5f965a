import type { Feature } from '../../engine/feature.ts'
import { poll } from '../../kernel/http/poll.ts'
import { openCatalogue } from './catalogue.ts'
import { registerFiles } from './file-routes.ts'
import { lakePaths, lakeSchemas } from './lake-openapi.ts'
import { openOwnTables } from './own-tables.ts'
import type { LakeParts } from './parts.ts'
import { CATALOGUE_PATH, registerCatalogue } from './routes.ts'
import { openServedFiles } from './served-files.ts'
import { openStorage } from './storage.ts'

/** How often what is left of lake writers' tables is removed, in ms. */
const TIDY_MS = 6 * 3_600_000

/** The tables of the lake for other engines: an Iceberg REST catalogue, and the files that it names. */
export const lakeFeature: Feature<LakeParts> = {
  id: 'lake',
  register(app, parts) {
    const { datasets } = parts.state.system()
    const files = openServedFiles()
    const own = openOwnTables({ store: parts.lake.store, clock: parts.clock })
    const end = poll(own.tidy, { every_ms: TIDY_MS, onError: (err) => parts.log.warn({ err }, 'files of dropped tables not removed') })
    app.addHook('onClose', async () => end())
    registerCatalogue(app, {
      ...parts,
      ...{ files, own, catalogue: openCatalogue(datasets) },
      storage: openStorage({ ...parts, files, stamps: parts.cursors, catalogue: CATALOGUE_PATH }),
    })
    registerFiles(app, { ...parts, files, own, datasets })
  },
  describe: () => ({ paths: lakePaths(), schemas: lakeSchemas() }),
}
