/** What there is to say of the model of the permanent count stations. */
export const trafficCountsCard = Object.freeze({
  id: 'traffic_counts',
  title: "Traffic at Madrid's permanent count stations, one to four hours ahead",
  purpose:
    'How many vehicles are to be expected in each of the four hours after the newest counts, by direction of each station: what a normal course would be, and how wide it may be missed.',
  not_for:
    'What happens now: counts come by the month, weeks after it is over. Closures, works and accidents are not known to it before they show in the counts, nor is the traffic between stations.',
  data: "Hourly counts of Madrid's permanent stations (by month) of the last three years. Counts at the ceiling, of dead directions, of outages and of days that copy another one are left out. A fit needs 95 days, a series counts on 21 of the last 70 days and one in the last day.",
  features:
    'Logarithms of counts to what is typical of the hour and kind of day in the last ten weeks: of the series, its other direction and all series together, in the last hours and about the same hour of former days; how the typical value differs from that of the last half year; holidays of Spain, the community and the city, bridges, the days around them, Holy Week, Christmas and August.',
  method:
    'Ridge regressions of the log ratio to the typical value, one for each hour of the clock, horizon, and days off, fitted anew each night on which more has landed. Intervals: quantiles of the errors before, by kind of day, hour and horizon, scaled by the usual error of the series at the hour.',
  evaluation:
    'Walked forward: each forecast is made with what was known before it. Error: sum of the absolute errors by that of the vehicles, beside that of the typical value over the same outcomes; a fit is held against the last 28 days, errors are told of the last 365, by season, on holidays and by night.',
})
