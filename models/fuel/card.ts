/** The card of the model of the bulletin's prices. */
export const fuelCard = Object.freeze({
  id: 'fuel',
  title: 'National fuel prices by the Weekly Oil Bulletin',
  purpose:
    'The likely national average price of a fuel, taxes included, in the next four weeks: for fleet budgets, when to fill up, or whether a change continues.',
  not_for:
    'The price at one station, or of a province. Shocks that no country has felt yet: it learns from published changes. A tax change shows once it is in the prices.',
  data: 'Prices with taxes of the Weekly Oil Bulletin since 2005, of all countries that report to it; fuel oils by the tonne, all others by the litre. A product needs 60 weeks of Spanish prices, including one in the last four weeks.',
  features:
    "Log prices: the last two weekly changes of Spain, of every other country (at half weight) and of Europe, and Spain's distance from Europe minus its mean over a year.",
  method:
    'Ridge regression (penalty 0.03) by product and horizon, fitted again with each bulletin; days between weekly forecasts are interpolated linearly in logarithms. Intervals: the 80 % quantile of the model’s last 156 errors (split conformal), each divided by the price volatility at its time.',
  evaluation:
    "Walk-forward: each week's forecast uses only the weeks before it. Errors cover the outcomes of the last 104 weeks, also by season, compared with the last value over the same outcomes. Below 50 past errors there is no interval.",
})
