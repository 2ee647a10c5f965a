import { HOLIDAYS_UNTIL } from '../../lake/places/holidays.ts'

const YEARS = `Holidays set by decree for a single year, such as a Monday instead of a Sunday, are known until ${HOLIDAYS_UNTIL}.`

/** The card of the model of the permanent count stations. */
export const trafficCountsCard = Object.freeze({
  id: 'traffic_counts',
  title: "Traffic at Madrid's permanent count stations, one to four hours ahead",
  purpose:
    'The expected vehicles in each of the four hours after the newest counts, by direction of each station, under normal conditions, with intervals.',
  not_for:
    'Current traffic: counts are published by month, weeks after its end. Closures, works and accidents before they show in the counts. Traffic between stations.',
  data: "Hourly counts of Madrid's permanent stations (by month) of the last three years. Counts at the ceiling, of unused directions, during outages and on copied days are excluded. A fit needs 95 days, a series counts on 21 of the last 70 days and one in the last day.",
  features:
    'Log ratios of counts to the typical value of the hour and kind of day in the last ten weeks: of the series, its other direction and all series together, in the last hours and around the same hour of earlier days; the difference between the typical value and that of the last half year; holidays of Spain, the community and the city, the course of those in the last five months from this hour on, bridges, the days around them, Holy Week, Christmas and August. ' +
    YEARS,
  method:
    'Ridge regressions of the log ratio to the typical value, one for each hour of the day, horizon, and day off or not; then one of the residuals for each series and horizon, except on holidays. Fitted again each night after new data. Intervals: quantiles of earlier errors by kind of day, hour and horizon, scaled by the usual error of the series at the hour and its volatility in the last four weeks.',
  evaluation:
    'Walk-forward: each forecast uses only data known before it. Error: sum of absolute errors divided by the sum of vehicles, compared with that of the typical value over the same outcomes. A fit is evaluated on the last 28 days; reported errors cover the last 365, also by season, on holidays and at night.',
})

/** The card of the model of live sensors and corridors. */
export const trafficCard = Object.freeze({
  id: 'traffic',
  title: "Traffic at Madrid's live sensors and on corridors, one to four hours ahead",
  purpose:
    'The expected vehicles per hour at each traffic sensor of the city, and as the mean over the sensors of a corridor, in each of the four hours after the newest complete one, under normal conditions, with intervals.',
  not_for:
    'Closures, works and accidents before they show in the readings. Traffic between sensors, and turning traffic. A moved or reset sensor is treated as the same sensor.',
  data: "Mean intensities by hour of Madrid's live sensors (source madrid): past days from the roll-up, today from its readings; an hour counts if half of it was measured. Days that copy another one of the last two months are excluded, since the sensor is stuck. A corridor is the mean of its sensors, in hours with at least half as many sensors as in the best hour of the month, or of today. It is fitted to 240 sensors, chosen at random by their ids among those that measure most of the time, and to the corridors, over the last thirteen months; a fit needs 95 days, a series hours on 21 of the last 70 days and one in the last day.",
  features:
    'As in the model of the count stations, with the city’s level from the fitted sensors: log ratios of intensities to the typical value of the hour and kind of day in the last ten weeks, in the last hours and around the same hour of earlier days; the difference between the typical value and that of the last half year; holidays, bridges, the days around them, Holy Week, Christmas and August. ' +
    YEARS,
  method:
    'Ridge regressions of the log ratio to the typical value, one for each hour of the day, horizon, and day off or not, fitted again each night; all sensors are forecast with them after each hour. Intervals: quantiles of earlier errors by kind of day, hour and horizon, scaled by the volatility of the series at that hour in the last four weeks, so that sensors outside the fit have them too.',
  evaluation:
    'Walk-forward over the fitted sensors: each forecast uses only data known before it. Error: sum of absolute errors divided by the sum of vehicles, compared with that of the typical value over the same outcomes. A fit is evaluated on the last 28 days; reported errors cover the last 365, also by season, on holidays and at night. Accuracy for sensors outside the fit was measured with the count stations, every other one forecast by a model of the rest: errors and intervals equalled those of fitted stations (`scripts/evaluate traffic`, series `unseen`).',
})

/** The card of the model of DGT's detectors and access roads. */
export const trafficDetectorsCard = Object.freeze({
  id: 'traffic_detectors',
  title: "Traffic at DGT's detectors and on access roads, one to four hours ahead",
  purpose:
    'The expected vehicles per hour in each lane with a detector, and in the mean carriageway of an access road of the largest cities, in each of the four hours after the newest complete one, under normal conditions, with intervals.',
  not_for:
    "Closures, works and accidents before they show in the readings. The vehicles of a road: a detector's series covers one lane. Holidays of regions and towns: only those of Spain, of the community of Madrid and of its city are known to it. " +
    YEARS,
  data: 'Mean intensities by hour of the detectors (source dgt), which measure one minute of every five; an hour counts if half of it was measured. Days that copy another one of the last two months are excluded. An access road is the mean of its carriageways by kilometre, each the sum of its lanes, in hours with at least half as many of them as in the best hour of the month, or of today; slip roads, bus lanes and lanes without a vehicle in the month are left out. DGT publishes no archive. From 28 days of readings on, the typical value is served (BASELINE); a fit needs 95 days. A series needs hours on 21 of the last 70 days and one in the last day.',
  features: "As in the model of Madrid's live sensors, with the common level of all fitted detectors in place of the city's.",
  method:
    "As in the model of Madrid's live sensors: ridge regressions fitted each night to 240 lanes chosen by their ids, and to the access roads. Between 28 and 94 days of readings nothing is fitted: the forecast is the typical value of the last weeks, with quantiles of its own earlier errors as interval.",
  evaluation:
    'Walk-forward over the fitted detectors, as in the model of live sensors, compared with the typical value over the same outcomes. Before 95 days the errors are those of the typical value. No recorded series of detectors is available to measure it on: its accuracy is only known from the readings of the service itself. On count stations the typical value of a service without an archive had errors of 0.103 in spring and 0.142 in summer 2023, with 76 and 69 % of outcomes inside the interval (`scripts/evaluate traffic`, series `typical`).',
})
