import { defineCodes } from '../../schema/codes.ts'

/** The ministry's studies. Their zones, distance bands and activities differ: nothing of one is ever added to the other. */
export const MOBILITY_STUDIES = defineCodes('mobility_study', 'Study of mobility; figures of two are not comparable.', {
  V1: ['Estudio de 2020 y 2021', 'Study of 2020 and 2021'],
  V2: ['Estudio desde 2022', 'Study since 2022'],
})

/** Levels of zones of the studies. */
export const ZONE_LEVELS = defineCodes('zone_level', 'Level of the zones of a study.', {
  DISTRICT: ['Distritos', 'Districts'],
  MUNICIPALITY: ['Municipios y agregados de municipios', 'Municipalities and aggregates of them'],
  GAU: ['Grandes áreas urbanas', 'Large urban areas'],
})
