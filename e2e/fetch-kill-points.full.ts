import { describeFetchKills } from './actors/fetch-kill-points.ts'

describeFetchKills([
  ['fetch.before-commit', 'evm'],
  ['fetch.before-commit', 'solana'],
  ['fetch.after-commit', 'evm'],
  ['fetch.after-commit', 'solana'],
  ['fetch.after-seller', 'evm'],
  ['fetch.after-seller', 'solana'],
])
