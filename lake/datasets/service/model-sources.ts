import { miteco, oilBulletin } from '../fuel/sources.ts'
import { dgt, madrid } from '../road/sources.ts'
import { dgtAccidentFiles } from '../safety/sources.ts'

/** The sources of all training data; model results are derived from them. */
export const MODEL_SOURCES = Object.freeze([oilBulletin, miteco, dgtAccidentFiles, madrid, dgt])
