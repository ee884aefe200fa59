/** What a browser asks a file tree for. */
export interface FileRequest {
  /** Without its query. */
  readonly path: string
  /** Values of these headers, each as it was sent. */
  readonly accept: readonly string[]
  readonly acceptEncoding: readonly string[]
  readonly ifNoneMatch: readonly string[]
}

/** A file as it goes out; null bytes where there is nothing to send. */
export interface ServedFile {
  readonly status: 200 | 302 | 304 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer | null
}

/** Files behind a folder of addresses: keyless and the same for everybody. */
export interface FileTree {
  /** Addresses that it answers, each itself; one that ends in `/*` with everything below. */
  readonly paths: readonly string[]
  /** Throws Refusal NOT_FOUND. */
  read(request: FileRequest): Promise<ServedFile>
}
