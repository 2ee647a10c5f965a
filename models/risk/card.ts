/** The card of the model of accidents with animals. */
export const riskCard = Object.freeze({
  id: 'risk',
  title: 'Accidents with animals by road section and hour',
  purpose: 'The 5 km sections and hours of the year at which accidents with animals are expected: for warnings, routes or fences.',
  not_for:
    'All accidents: those with someone killed or hurt have their own model (`risk_casualties`). Roads without a recorded accident with animals, Catalonia, the Basque Country, Ceuta and Melilla. The risk of one driver: traffic is not known on most of these roads.',
  data: 'Accidents with animals (DGT) with a road and a kilometre, of the newest year with at least 1,000 of them; the kilometres between the first and the last of each road and province are covered. Roads with fewer than three accidents have no number.',
  features:
    'Accidents on the section, its neighbours, the rest of the road and in the province, for the three most common kinds of animals and all others; week of the year; solar hour (sunrise and sunset in the middle of the province) and local hour; the season of the province. Not included: traffic, since the available IMD covers 25 of some 15,500 sections, where an IMD factor did not improve held-out weeks (deviance 45.9 with it, 43.2 without, each section predicted from the others); and weather, since the available observations are from other years than the accidents. Solar hours account for darkness.',
  method:
    'Poisson rates by linear empirical Bayes (Bühlmann’s credibility), whose weights are fitted by predicting each tenth of the weeks from the others, times a kernel-smoothed profile by week, solar hour and local hour. The interval is for the expected number of the section (gamma), not for the outcome of an hour; its additional width maximizes the likelihood of the tenths of the weeks.',
  evaluation:
    'Every fourth week is held out and predicted from the weeks before and after it (horizon `HELD_OUT_WEEKS`): this is not the error of a forecast. Mean Poisson deviance of section × hour × week, compared with sections’ shrunk counts times the shares of the weeks around. About a sixth of accidents happens on sections without earlier accidents: rates cover only sections with some. The current version is evaluated on the same outcomes: as served if they came after its data, else by a fit without the held-out weeks. Coverage is that of a section’s accidents in all held-out weeks, including Poisson noise (the nonrandomized transform of Czado, Gneiting and Held 2009), over all sections and over the tenth with the highest expectation: elsewhere chance dominates. It does not measure changes from one year to the next.',
})

/** The card of the model of accidents with someone killed or hurt. */
export const riskCasualtiesCard = Object.freeze({
  id: 'risk_casualties',
  title: 'Accidents with someone killed or hurt by road section and hour',
  purpose:
    'The 5 km sections and hours of the week and year at which accidents with someone killed or hurt are expected: for patrols, warnings or road inspections.',
  not_for:
    'Streets, and accidents whose record has no road and kilometre. Roads without such an accident. Single holidays: they count as their weekday. The risk of one driver: traffic is unknown on most of these roads, so numbers are accidents, not accidents per vehicle.',
  data: 'The national table of accidents (DGT) with road, kilometre, weekday and hour: the newest three years with at least 1,000 each. The table has the month but not the day: one of the four or five possible days is chosen at random by the accident’s id, always the same. Differences between weeks of a month are therefore random and smoothed away; weekday and hour are as published.',
  features:
    'Accidents on the section, its neighbours, the rest of the road and in the province; week of the year; solar hour (sunrise and sunset in the middle of the province) and hour of the week; the season of the province. Not included: traffic and weather, for the reasons given for the model of accidents with animals.',
  method: riskCard.method,
  evaluation:
    'If the newest three years are whole, the last is held out and predicted from up to three years before it (horizon `P1Y`). Otherwise every fourth week of each year is held out and predicted from the weeks before and after it (horizon `HELD_OUT_WEEKS`). That is not the error of a forecast: with the random days above, held-out weeks are a random part of each month. Mean Poisson deviance of section × hour × week, in the second case the weeks of all years together, compared with sections’ shrunk counts times the shares of the weeks around. Accidents on sections without earlier ones are excluded. The current version is evaluated on the same outcomes: as served if they came after its data, else by a fit without them. Coverage as for the model of accidents with animals; with `P1Y` it includes changes from one year to the next, as calibration does.',
})
