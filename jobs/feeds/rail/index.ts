import type { Feed } from '../define.ts'
import { fgcTrains } from './fgc-trains.ts'
import {
  fgcGtfs,
  mallorcaGtfs,
  metroLigeroGtfs,
  metroMadridGtfs,
  metroMalagaGtfs,
  metrovalenciaGtfs,
  tramAlicanteGtfs,
} from './networks.ts'
import { renfeAlerts } from './renfe-alerts.ts'
import { renfeEstaciones } from './renfe-estaciones.ts'
import { renfeFlota, renfeFlotaLd } from './renfe-flota.ts'
import { renfeGtfsAvldmd, renfeGtfsCercanias } from './renfe-gtfs.ts'
import { renfeMaterial } from './renfe-material.ts'
import { renfePositions, renfePositionsLd } from './renfe-positions.ts'
import { renfeTripUpdates, renfeTripUpdatesLd } from './renfe-trip-updates.ts'

/** Feeds about rail. */
export const feeds: readonly Feed[] = Object.freeze([
  renfeAlerts,
  renfeTripUpdates,
  renfeTripUpdatesLd,
  renfePositions,
  renfePositionsLd,
  fgcTrains,
  renfeFlotaLd,
  renfeFlota,
  renfeGtfsCercanias,
  renfeGtfsAvldmd,
  fgcGtfs,
  metroMadridGtfs,
  metroLigeroGtfs,
  metroMalagaGtfs,
  metrovalenciaGtfs,
  tramAlicanteGtfs,
  mallorcaGtfs,
  renfeEstaciones,
  renfeMaterial,
])
