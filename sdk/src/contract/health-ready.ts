// Made from the endpoint table by checks/sdk-contract.test.ts; do not edit.
/** Whether everything that payments need is reachable: the answer of GET /health/ready. */
export interface HealthReadyAnswer {
  /** An error has `false` here. */
  readonly success: true
  readonly status: 'ready'
  readonly parts: Readonly<Record<string, 'ok'>>
  /** The nodes of each network. */
  readonly nodes: Readonly<
    Record<
      string,
      readonly {
        /** Its place in the configuration. */
        readonly node: number
        /** Which host; of a longer name the last two labels. */
        readonly host: string
        /** `ok` is read; `aside` failed or was slow; `behind` lags behind another node. */
        readonly state: 'ok' | 'aside' | 'behind'
      }[]
    >
  >
  /** When this was answered, Unix milliseconds. */
  readonly timestamp: number
}
