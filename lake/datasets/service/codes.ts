import { defineCodes } from '../../schema/codes.ts'

/** Under what a request was answered. */
export const USAGE_PLANS = defineCodes('usage_plan', 'Plan of the key of a request.', {
  ANONYMOUS: ['Sin clave', 'Without a key'],
  FREE: ['Gratuito', 'Free'],
  PRO: ['Pro', 'Pro'],
  ENTERPRISE: ['Empresa', 'Enterprise'],
})

/** Units of the measures of models' errors. */
export const METRIC_UNITS = defineCodes('metric_unit', "Unit of a measure of a model's errors.", {
  '1': ['sin unidad', 'without unit'],
  'EUR/L': ['euros por litro', 'euros per litre'],
  'EUR/t': ['euros por tonelada', 'euros per tonne'],
  'veh/h': ['vehículos por hora', 'vehicles per hour'],
})

/** Plain forecasts that models are held against. */
export const MODEL_BASELINES = defineCodes('model_baseline', 'Plain forecast that a model is held against.', {
  LAST_VALUE: ['El último valor', 'The last value'],
  TYPICAL_VALUE: ['El valor típico', 'The typical value'],
  HISTORICAL_MEAN: ['La media histórica', 'The historical mean'],
})

/** What became of a fit of a model. */
export const FIT_STATES = defineCodes('fit_state', 'What became of the newest fit of a model.', {
  PROMOTED: ['Se sirve', 'It is served'],
  REFUSED: ['Peor que la versión vigente: sigue esta', 'Worse than the standing version, which goes on'],
  FAILED: ['Falló: sigue la versión vigente', 'It failed; the standing version goes on'],
})

/** What a forecast is: the model's, or the plain baseline where the model was no better than that. */
export const FORECAST_KINDS = defineCodes('forecast_kind', 'What a forecast is.', {
  MODEL: ['Del modelo', "The model's"],
  BASELINE: ['El valor simple de comparación: el modelo no fue mejor', 'The plain baseline, for the model was no better'],
})
