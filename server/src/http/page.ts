/** Something to read that is no operation: keyless, the same for everybody, written once in a process's life. */
export interface Page {
  /** Without parts that vary. Served there and under /api. */
  readonly path: string
  readonly contentType: string
  /**
   * Writes it. Asked at the first request and kept until the process ends; what throws is asked again. `baseUrl` is the
   * address that callers know, without a slash at the end.
   */
  write(baseUrl: string): Promise<string>
}
