/** What there is to say of the model of the bulletin's prices. */
export const fuelCard = Object.freeze({
  id: 'fuel',
  title: 'National fuel prices by the Weekly Oil Bulletin',
  purpose:
    'Where the national average price of a fuel, taxes included, is likely to be within the next four weeks: budgets of fleets, when to fill up, whether a change goes on.',
  not_for:
    'The price at one station, or of a province. Shocks that no country has felt yet: it learns from changes that were published. A change of taxes shows once it is in the prices.',
  data: 'Prices with taxes of the Weekly Oil Bulletin since 2005, of all countries that report to it; fuel oils by the tonne, all others by the litre. A product needs 60 weeks of prices of Spain, and one in the last four weeks.',
  features:
    'Of the logarithms of prices: the last two weekly changes of Spain, of every other country (at half weight) and of Europe, and how far Spain is from Europe beyond what is usual within a year.',
  method:
    'Ridge regression (penalty 0.03) by product and horizon, fitted anew with each bulletin; days between the forecasts of weeks are on the straight line of logarithms. Intervals: the 80 % quantile of the last 156 own errors (split conformal), each by how restless the price was at its time.',
  evaluation:
    'Walked forward: the forecast of each week is made with the weeks before it alone. Errors are of the outcomes of the last 104 weeks, beside those of the last value over the same outcomes, and by season. Below 50 past errors there is no interval.',
})
