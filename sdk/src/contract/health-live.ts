// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** Whether the process runs: the answer of GET /health/live. */
export interface HealthLiveAnswer {
  /** An error has `false` here. */
  readonly success: true
  readonly status: 'live'
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
