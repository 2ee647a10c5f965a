/** Promised availability of each group of paths, in per cent of the minutes of a month. */
export const PROMISE_PCT = 99.9
