import { defineCodes } from '../../schema/codes.ts'

/** Plans under which requests are answered. */
export const USAGE_PLANS = defineCodes('usage_plan', 'Plan of the key of a request.', {
  ANONYMOUS: ['Sin clave', 'Without a key'],
  FREE: ['Gratuito', 'Free'],
  PRO: ['Pro', 'Pro'],
  ENTERPRISE: ['Empresa', 'Enterprise'],
})

/** Units of error measures. */
export const METRIC_UNITS = defineCodes('metric_unit', 'Unit of an error measure of a model.', {
  '1': ['sin unidad', 'without unit'],
  'EUR/L': ['euros por litro', 'euros per litre'],
  'EUR/t': ['euros por tonelada', 'euros per tonne'],
  'veh/h': ['vehículos por hora', 'vehicles per hour'],
})

/** Plain forecasts that serve as baselines of models. */
export const MODEL_BASELINES = defineCodes('model_baseline', 'Plain forecast that a model is compared with.', {
  LAST_VALUE: ['El último valor', 'The last value'],
  TYPICAL_VALUE: ['El valor típico', 'The typical value'],
  HISTORICAL_MEAN: ['La media histórica', 'The historical mean'],
})

/** Results of fitting a model. */
export const FIT_STATES = defineCodes('fit_state', 'Result of the newest fit of a model.', {
  PROMOTED: ['Se sirve', 'It is served'],
  REFUSED: ['Peor que la versión vigente: sigue esta', 'Worse than the current version, which stays'],
  FAILED: ['Falló: sigue la versión vigente', 'Failed; the current version stays'],
})

/** Whether a forecast is the model's or the plain baseline, which is served if the model is no better. */
export const FORECAST_KINDS = defineCodes('forecast_kind', "Whether a forecast is the model's or the baseline.", {
  MODEL: ['Del modelo', "The model's"],
  BASELINE: ['El valor simple de comparación: el modelo no fue mejor', 'The plain baseline, since the model was no better'],
})
