import { describeFetchKills } from './actors/fetch-kill-points.ts'

describeFetchKills([
  ['fetch.after-commit', 'evm'],
  ['fetch.after-seller', 'evm'],
])
