import { ALL_CASES, provePaywall } from './paywall-matrix.ts'

provePaywall(ALL_CASES)
