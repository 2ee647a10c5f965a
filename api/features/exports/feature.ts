import type { ContextParts } from '../../auth/request-context.ts'
import type { PathGroups } from '../../auth/usage/path-groups.ts'
import type { RequestLog } from '../../auth/usage/request-log.ts'
import type { Feature } from '../../engine/feature.ts'
import type { ServiceState } from '../../engine/state/state.ts'
import { DOWNLOAD_PATH, type DownloadParts, datasetDownloads, registerDownload } from './download.ts'
import { downloadPaths } from './download-openapi.ts'
import { JOB_FILE_PATH, JOB_PATH, JOBS_PATH, jobDownloads } from './job-files.ts'
import { exportJobPaths, exportJobSchemas } from './job-openapi.ts'
import { registerExportJobs } from './job-routes.ts'

/** What exports work with. */
interface ExportParts extends ContextParts, Pick<DownloadParts, 'links' | 'clock' | 'log' | 'store'> {
  readonly requests: RequestLog
  readonly groups: PathGroups
  readonly state: ServiceState
}

/** The domain of endpoints whose group counts downloads and jobs too. */
const DOMAIN = 'export'

/** Signed downloads of files of tables, and jobs that make files of a selection. */
export const exportsFeature: Feature<ExportParts> = {
  id: 'exports',
  register(app, parts) {
    const { requests, groups, store, clock } = parts
    const { datasets } = parts.state.system()
    const counted = (path: string) => ({
      ...parts,
      count: requests.usageOf(path),
      countReply: groups.ofPath(DOMAIN, path),
    })
    registerDownload(app, counted(DOWNLOAD_PATH), datasetDownloads(store, datasets))
    registerDownload(app, counted(JOB_FILE_PATH), jobDownloads(store, clock))
    void app.register(async (scope) => {
      // The same group: a reply about one job counts as one about jobs.
      groups.ofPath(DOMAIN, JOB_PATH)
      registerExportJobs(scope, { ...counted(JOBS_PATH), datasets })
    })
  },
  describe: () => ({ paths: { ...downloadPaths(), ...exportJobPaths() }, schemas: exportJobSchemas() }),
}
