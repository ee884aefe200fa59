import { createContext, useContext } from 'react'
import type { Api } from '../api/api.ts'

/** What every page works with. */
export interface Services {
  readonly api: Api
}

export const ServicesContext = createContext<Services | null>(null)

/** The way to the service. */
export function useApi(): Api {
  const services = useContext(ServicesContext)
  if (services === null) throw new Error('a page outside of the app')
  return services.api
}
