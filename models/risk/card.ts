/** What there is to say of the model of risk on road sections. */
export const riskCard = Object.freeze({
  id: 'risk',
  title: 'Accidents with animals by road section and hour',
  purpose:
    'On which sections of 5 km, and at which hours of the year, accidents with animals are to be expected: warnings, routes, where to put fences.',
  not_for:
    'All accidents: those with somebody killed or hurt have a model of their own (`risk_casualties`). Roads on which no accident with animals was seen, Catalonia, the Basque Country, Ceuta and Melilla. The risk of one driver: traffic is not known on most of these roads.',
  data: 'Accidents with animals (DGT) with a road and a kilometre, of the newest year with at least 1,000 of them; the kilometres between the first and the last of each road and province. Roads with fewer than three accidents have no number.',
  features:
    'What was seen on the section, on those next to it, on the rest of the road and in the province, of the three commonest kinds of animals and all others; week of the year; the hour by the Sun (sunrise and sunset in the middle of the province) and by the clock; the season of the province. Not in it: traffic, for the IMD that is at hand covers 25 of some 15,500 sections, on which a factor by IMD made held-out weeks no likelier (deviance 45.9 with it, 43.2 without, each section foretold from the others); and weather, for the observations of stations that are at hand are of other years than the accidents, so that nothing could be measured. Darkness comes in by the Sun.',
  method:
    'Poisson rates by linear empirical Bayes (Bühlmann’s credibility), whose weights are fitted by foretelling each tenth of the weeks from the others, times a profile by week, Sun and clock, smoothed by kernels. The interval is that of the expected number of the section (gamma), not of what will happen in an hour; how wide it is, beside what credibility has, is what makes the tenths of the weeks likeliest.',
  evaluation:
    'Every fourth week is held out and foretold from the others. Mean Poisson deviance of section × hour × week, beside sections’ shrunk counts times the shares of the weeks around. About a sixth of accidents lies on sections that no accident was seen on before: rates are of what falls on seen ones. A standing version is held to the same outcomes: by what it serves where they came after its data, by what was fitted without the held-out weeks where they are of the same year. Coverage is that of a section’s accidents in all held-out weeks, the chance of counting included (the nonrandomized transform of Czado, Gneiting and Held 2009), over all sections and over the tenth of which the most was expected: of the others chance decides nearly alone. It says nothing of what changes from one year to the next.',
})

/** What there is to say of the model of accidents with somebody killed or hurt. */
export const riskCasualtiesCard = Object.freeze({
  id: 'risk_casualties',
  title: 'Accidents with somebody killed or hurt by road section and hour',
  purpose:
    'On which sections of 5 km, and at which hours of the week and the year, accidents with somebody killed or hurt are to be expected: patrols, warnings, where to look at a road.',
  not_for:
    'Streets, and accidents whose record has no road and kilometre. Roads on which no such accident was seen. Single holidays: an hour is that of its weekday. The risk of one driver: traffic is not known on most of these roads, so that a number is of accidents, not of accidents by vehicle.',
  data: 'The national table of accidents (DGT), as far as it tells road, kilometre, weekday and hour: the newest three years with at least 1,000 of them each. It tells the month and not the day: of the four or five days of a month that an accident can have been on, its id chooses one by chance, always the same. So what is said of one week rather than the next of its month rests on chance and is smoothed away; weekday and hour are as published.',
  features:
    'What was seen on the section, on those next to it, on the rest of the road and in the province; week of the year; the hour by the Sun (sunrise and sunset in the middle of the province) and the hour of the week; the season of the province. Not in it: traffic and weather, for the reasons that the model of accidents with animals tells.',
  method: riskCard.method,
  evaluation:
    'Every fourth week of each year is held out and foretold from the others: weeks as the chance above has dealt them. Mean Poisson deviance of section × hour × week, the weeks of all years together, beside sections’ shrunk counts times the shares of the weeks around. Accidents on sections that none was seen on before are left out, and their share is told. A standing version is held to the same outcomes: by what it serves where they came after its data, else by what was fitted without the held-out weeks. Coverage as of the model of accidents with animals.',
})
