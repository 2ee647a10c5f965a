/** Share of the minutes of a month, in per cent, in which each group of paths is promised to be up. */
export const PROMISE_PCT = 99.9
