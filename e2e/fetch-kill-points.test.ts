import { describeFetchKills } from './actors/fetch-kill-points.ts'

// The others take a service's start each: they run with the long forms.
describeFetchKills([['fetch.after-seller', 'evm']])
