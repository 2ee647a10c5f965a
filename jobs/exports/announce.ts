import type { EventLog } from '../../lake/events/log.ts'
import { recordEvent } from '../../lake/events/record.ts'
import { accountOfSlot, isUnannounced, type ListedJob, putAnnounced, readJob } from '../../lake/exports/jobs.ts'
import type { ObjectStore } from '../../lake/store/store.ts'

/** Most jobs of one call of `announceMissed`, so that a long list does not delay new jobs. */
const AT_ONCE = 20

/** Records the events that notify owners of jobs that their files are ready. */
export interface Announcer {
  /** Announces a job if it is ready. */
  announce(job: Pick<ListedJob, 'slot' | 'id'>): Promise<void>
  /** Announces the ready jobs among the listed ones whose event is missing: their worker ended before it recorded the event. */
  announceMissed(listed: readonly ListedJob[]): Promise<void>
}

/** Makes an announcer. A job is announced once, by however many processes, and only after its outcome is stored. */
export function announcer(options: { readonly store: ObjectStore; readonly events: EventLog; readonly now: () => number }): Announcer {
  const { store, events, now } = options
  // Failed jobs, and those of earlier versions, so that they are read once.
  const neverAnnounced = new Set<string>()
  const announce = async (of: Pick<ListedJob, 'slot' | 'id'>): Promise<void> => {
    const job = await readJob(store, of, now())
    // Earlier versions, whose outcomes name no attempt, announced a job before they stored its outcome.
    if (!job?.outcome?.attempt || job.state !== 'READY') {
      neverAnnounced.add(of.id)
      return
    }
    const { id, slot, dataset, format, created_at } = job.request
    const { rows, files, ended_at } = job.outcome
    await recordEvent(events, {
      ...{ type: 'export.ready', about: id, at: ended_at, occurrence: created_at },
      account: accountOfSlot(slot),
      data: { id, dataset, format, rows, files: files.length, url: `/api/export-jobs/${id}` },
    })
    await putAnnounced(store, of, now())
  }
  return {
    announce,
    async announceMissed(listed) {
      const missed = listed.filter((one) => isUnannounced(one) && !neverAnnounced.has(one.id))
      for (const one of missed.slice(0, AT_ONCE)) await announce(one)
    },
  }
}
