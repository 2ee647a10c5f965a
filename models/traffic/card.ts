import { HOLIDAYS_UNTIL } from '../../lake/places/holidays.ts'

const YEARS = `Days off that a decree gives to a single year, such as the Monday for a Sunday, are known until ${HOLIDAYS_UNTIL}.`

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
    'Logarithms of counts to what is typical of the hour and kind of day in the last ten weeks: of the series, its other direction and all series together, in the last hours and about the same hour of former days; how the typical value differs from that of the last half year; holidays of Spain, the community and the city, how those of the last five months went on from the hour, bridges, the days around them, Holy Week, Christmas and August. ' +
    YEARS,
  method:
    'Ridge regressions of the log ratio to the typical value, one for each hour of the clock, horizon, and days off, and of what they leave one for each series and horizon, but for holidays; fitted anew each night on which more has landed. Intervals: quantiles of the errors before, by kind of day, hour and horizon, scaled by the usual error of the series at the hour and by how restless it was in the last four weeks.',
  evaluation:
    'Walked forward: each forecast is made with what was known before it. Error: sum of the absolute errors by that of the vehicles, beside that of the typical value over the same outcomes; a fit is held against the last 28 days, errors are told of the last 365, by season, on holidays and by night.',
})

/** What there is to say of the model of live sensors and corridors. */
export const trafficCard = Object.freeze({
  id: 'traffic',
  title: "Traffic at Madrid's live sensors and on corridors, one to four hours ahead",
  purpose:
    'How many vehicles per hour are to be expected at each traffic sensor of the city, and on the mean of the sensors of a corridor, in each of the four hours after the newest one that is over: what a normal course would be, and how wide it may be missed.',
  not_for:
    'Closures, works and accidents are not known to it before they show in the readings, nor is the traffic between sensors, nor that of turns. A sensor that was moved or set anew is taken to be what it was.',
  data: "Mean intensities by hour of Madrid's live sensors (source madrid): those of days that are over as they are rolled up, those of today of its readings; an hour counts of which half was measured. Days that copy another one of the last two months are left out: a sensor that is stuck. A corridor is the mean of its sensors in hours that at least half as many have as have any hour of the month, or of today. It is fitted to 240 sensors, chosen by chance of their ids among those that measure most of the time, and to the corridors, over the last thirteen months; a fit needs 95 days, a series hours on 21 of the last 70 days and one in the last day.",
  features:
    'Those of the model of the count stations, with the city as the sensors tell it that it is fitted to: logarithms of intensities to what is typical of the hour and kind of day in the last ten weeks, in the last hours and about the same hour of former days; how the typical value differs from that of the last half year; holidays, bridges, the days around them, Holy Week, Christmas and August. ' +
    YEARS,
  method:
    'Ridge regressions of the log ratio to the typical value, one for each hour of the clock, horizon, and days off, fitted anew each night; forecasts of all sensors with them once an hour is over. Intervals: quantiles of the errors before, by kind of day, hour and horizon, scaled by how restless the series was at that hour in the last four weeks, so that sensors which it was not fitted to have theirs too.',
  evaluation:
    'Walked forward over the sensors that it is fitted to: each forecast is made with what was known before it. Error: sum of the absolute errors by that of the vehicles, beside that of the typical value over the same outcomes; a fit is held against the last 28 days, errors are told of the last 365, by season, on holidays and by night. What sensors come to that it was not fitted to was measured with the count stations, every other of which was forecast by a model of the others: errors and intervals were those of stations that it was fitted to (`scripts/evaluate traffic`, series `unseen`).',
})
