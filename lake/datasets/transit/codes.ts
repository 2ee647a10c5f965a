/** Stop uses of GTFS (`pickup_type`, `drop_off_type`), in order of their numbers. */
export const STOP_USES = ['REGULAR', 'NONE', 'PHONE_AGENCY', 'ASK_DRIVER'] as const
