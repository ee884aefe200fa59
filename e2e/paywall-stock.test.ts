import { provePaywall, SOME_CASES } from './paywall-matrix.ts'

provePaywall(SOME_CASES)
