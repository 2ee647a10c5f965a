/** The card of the model of stations' mean prices. */
export const fuelDailyCard = Object.freeze({
  id: 'fuel_daily',
  title: 'Mean prices of the filling stations in the next seven days, for Spain and its provinces',
  purpose:
    'The likely mean price of the stations of a province, or of Spain, on each of the next seven days, for products sold by the litre.',
  not_for: 'The price at one station. More than a week ahead. It does not use crude oil prices, other countries or announced taxes.',
  data: 'Daily station means (fuel_days) of up to two years, each station counting once. An area needs 120 known days of a product, including one in the last week.',
  features:
    "Log changes of the area's mean over the last week, the week before and the last day, and the difference between Spain's and the area's change of the week.",
  method:
    'Ridge regression (penalty 0.001) by product and days ahead, which all areas share, fitted again each day. Intervals: the 80 % quantile of the area’s own last 120 errors (split conformal), each divided by the price volatility at its time (from changes over one day and over the forecast horizon); no interval below 40 errors.',
  evaluation:
    'Walk-forward: each forecast uses only data known on its day. Errors cover the outcomes of the last 90 days, for Spain and for all provinces together, compared with the last value. On real days that were not used for model selection (scripts/evaluate fuel): the official mean of Spain, November 2025 to February 2026, 0.75 to 0.87 of the last value’s error for petrol 95 and diesel at 1, 3 and 7 days; May to August 2026 diesel 0.75 to 0.79, petrol 0.96 at one day and 1.09 at seven, with 71 to 76 % within intervals at seven days; for medians of provinces, which move in steps, about the last value’s error up to three days (0.94 to 1.11), and more at seven (up to 1.40, after the tax change of March 2026), with 82 % within intervals at one day and 69 to 73 % at seven. The widening of intervals during price changes was chosen with the days of 2026, so coverage on other days may be lower. If the model was not better over the last 90 days, the last value is served.',
})
