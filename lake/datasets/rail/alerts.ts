import { col, orNull } from '../../schema/columns.ts'
import { railDataset } from '../domains.ts'
import { ALERT_CAUSES, ALERT_EFFECTS, RAIL_ALERT_KINDS, RAIL_NETWORKS } from './codes.ts'
import { renfe } from './sources.ts'

/**
 * Railway alerts: Renfe's own (`NOTICE`, `INFORMATION`), and those derived from its trip updates (`DELAY`, `CANCELLED`;
 * `derived`), in one table so that one query covers both. Each feed ends only its own. A derived alert has a row per minute in
 * which its delay changes: 5,383 for long distance on 2026-03-28, at one publication in 5 minutes.
 */
export const railAlerts = railDataset({
  id: 'rail_alerts',
  title: 'Railway alerts',
  about:
    'Railway notices, and trains that are cancelled or more than 5 minutes late, with every state. Published alerts state no end: they end when they are no longer published. Derived alerts name their trip or train; its stations and route are in the timetables.',
  sources: [renfe],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'renfe' }),
    source_id: col.string(2, "The source's own id; for a derived alert, the trip (or train) and its service day.", {
      example: 'AVISO_509501',
    }),
    alert_id: col.string(3, 'Public id, stable for the life of the alert.', { example: 'ral_7Q2M9KX4B1TZ5H3D' }),
    first_seen_at: col.instant(4, 'First publication that contained it.', { example: '2026-08-25T13:25:16.000Z' }),
    observed_at: col.instant(5, 'Publication of this state.', { example: '2026-08-25T13:25:16.000Z' }),
    kind: col.code(6, 'Kind of alert.', RAIL_ALERT_KINDS, { example: 'NOTICE' }),
    derived: col.boolean(7, 'True if it was derived from trip updates, not written by the source.', { example: false }),
    network: col.code(8, 'Network it belongs to.', RAIL_NETWORKS, { example: 'CERCANIAS' }),
    nucleo_codes: col.list(
      [9, 10],
      'Affected commuter networks (núcleos), from its routes and trips, else from its hashtags; sorted.',
      col.string(0, 'Code of a núcleo.'),
      { example: ['10'] },
    ),
    lines: col.list(
      [11, 12],
      'Affected lines, from its routes and trips, else from its hashtags; sorted.',
      col.string(0, 'Line as in the timetable.'),
      { example: ['C3', 'C4a', 'C4b'] },
    ),
    hashtags: col.json(
      13,
      'Hashtags at the start of its text: tag, word of the núcleo, code of the núcleo (null if the word is unknown), line.',
      {
        example: [{ tag: '#MadC3', word: 'Mad', nucleo_code: '10', line: 'C3' }],
      },
    ),
    route_ids: col.list([14, 15], 'Routes of the timetable it names; sorted.', col.string(0, 'Route id.'), {
      example: ['10T0007C3', '10T0099C3'],
    }),
    stop_ids: col.list([16, 17], 'Stations it names; sorted.', col.string(0, 'Station code.'), { example: ['37010'] }),
    trip_ids: col.list([18, 19], 'Trips of the timetable it names; sorted.', col.string(0, 'Trip id.'), { example: ['5135M77432R4'] }),
    train_number: col.string(20, 'Commercial number of the train; derived alerts only.', orNull('77432')),
    service_date: col.local_date(21, 'Service day of the train; derived alerts only.', orNull('2026-08-25')),
    delay_s: col.integer(22, 'Delay of the train; derived alerts of kind DELAY only.', { unit: 's', nullable: true, example: 1080 }),
    effect: col.code(23, 'Effect that the source states; null if it states none.', ALERT_EFFECTS, orNull(null)),
    cause: col.code(24, 'Cause that the source states; null if it states none.', ALERT_CAUSES, orNull(null)),
    active_from: col.instant(25, 'Start that the source states; it may be months ago.', orNull('2026-08-25T08:53:00.000Z')),
    active_until: col.instant(26, 'End that the source states; Renfe has never stated one.', orNull(null)),
    text_es: col.string(
      27,
      'Text in Spanish.',
      orNull('#MadC9 Por obras, los aseos de la estación de Cercedilla permanecen temporalmente inoperativos.'),
    ),
    translations: col.json(28, 'Each distinct text with its language (null if not stated), sorted by language and text.', {
      example: [
        { language: 'es', text: '#MadC9 Por obras, los aseos de la estación de Cercedilla permanecen temporalmente inoperativos.' },
      ],
    }),
  },
  entity: ['source', 'source_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'ends',
  life: { id: 'alert_id', prefix: 'ral', since: 'first_seen_at' },
})
