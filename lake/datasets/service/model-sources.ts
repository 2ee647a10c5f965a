import { miteco, oilBulletin } from '../fuel/sources.ts'
import { madrid } from '../road/sources.ts'
import { dgtAccidentFiles } from '../safety/sources.ts'

/** The sources of all data that models are fitted to: what is said of models rests on them. */
export const MODEL_SOURCES = Object.freeze([oilBulletin, miteco, dgtAccidentFiles, madrid])
