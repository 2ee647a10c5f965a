import { datasetsOf } from '../schema/dataset.ts'

const FREE_NOW = { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' } as const
const PAID = { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' } as const

// Each declares a dataset of its domain, with the plan that is given here unless the dataset states another.
export const roadDataset = datasetsOf('road', FREE_NOW)
export const fuelDataset = datasetsOf('fuel', FREE_NOW)
export const mobilityDataset = datasetsOf('mobility', PAID)
export const railDataset = datasetsOf('rail', FREE_NOW)
export const maritimeDataset = datasetsOf('maritime', FREE_NOW)
export const safetyDataset = datasetsOf('safety', PAID)
export const weatherDataset = datasetsOf('weather', FREE_NOW)
export const airDataset = datasetsOf('air', PAID)
export const aviationDataset = datasetsOf('aviation', PAID)
export const serviceDataset = datasetsOf('service', { live: 'FREE', history: 'FREE', bulk: 'FREE' })
