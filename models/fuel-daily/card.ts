/** What there is to say of the model of the stations' mean prices. */
export const fuelDailyCard = Object.freeze({
  id: 'fuel_daily',
  title: 'Mean prices of the filling stations in the next seven days, of Spain and its provinces',
  purpose:
    'Where the mean price of the stations of a province, or of Spain, is likely to be on each of the next seven days, for products sold by the litre.',
  not_for:
    'The price at one station. More than a week ahead. It knows nothing of crude oil, of other countries or of taxes that are announced.',
  data: 'Means of the stations by day (fuel_days), of the last two years as far as they are there, each station counting once. An area needs 120 known days of a product, and one in the last week.',
  features:
    "Of the logarithms of means: the area's change of the last week, of the week before and of the last day, and how far the change of Spain's week is from its own.",
  method:
    'Ridge regression (penalty 0.001) by product and days ahead, which all areas share, fitted anew each day. Intervals: the 80 % quantile of the area’s last 120 own errors (split conformal), each by how restless its price was at its time (its changes of a day, and of as many days as are forecast); none below 40.',
  evaluation:
    'Walked forward: each forecast is made with what was known by its day. Errors are of the outcomes of the last 90 days, of Spain and of all provinces together, beside those of the last value. On real days that it was not chosen by (scripts/evaluate fuel): the official mean of Spain, November 2025 to February 2026, 0.75 to 0.87 of the last value’s error for petrol 95 and diesel at 1, 3 and 7 days; May to August 2026 diesel 0.75 to 0.79, petrol 0.96 at one day and 1.09 at seven, with 71 to 76 % within intervals at seven days; medians of provinces, which move in steps, are foretold about as well as by the last value (0.94 to 1.11 of its error) until three days, and worse at seven (up to 1.40, after the tax change of March 2026), with 82 % within intervals at one day and 69 to 73 % at seven. How much intervals widen where changes go on was chosen with the days of 2026 in sight, so that on others these shares may be less. Where the last 90 days do not bear it out, the last value is served.',
})
