/** What one HTTP call gave back; the body is JSON or null. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
}

/** A plain HTTP client of the service, as any stranger would write it. */
export interface Client {
  get(path: string): Promise<Reply>
  post(
    path: string,
    body: unknown,
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Reply>
  put(path: string, body: unknown): Promise<Reply>
  delete(path: string): Promise<Reply>
  /** Sends bytes as they are. */
  raw(
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers?: Record<string, string>,
  ): Promise<Reply>
}

export function openClient(baseUrl: string, apiKey: string): Client {
  const call = async (method: string, path: string, init: RequestInit = {}): Promise<Reply> => {
    const response = await fetch(baseUrl + path, {
      ...init,
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(init.headers as Record<string, string>) },
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    }
  }
  const json = { 'content-type': 'application/json' }
  return {
    get: (path) => call('GET', path),
    post: (path, body, headers = {}, signal) =>
      call('POST', path, {
        body: JSON.stringify(body),
        headers: { ...json, ...headers },
        ...(signal === undefined ? {} : { signal }),
      }),
    put: (path, body) => call('PUT', path, { body: JSON.stringify(body), headers: json }),
    delete: (path) => call('DELETE', path),
    raw: (path, body, headers = {}) =>
      call('POST', path, { body, headers: { ...json, ...headers } }),
  }
}

/** The `error.code` of a refusal. */
export function codeOf({ body }: Reply): unknown {
  return (body['error'] as { code?: unknown } | undefined)?.code
}

/** The `error.details` of a refusal. */
export function detailsOf({ body }: Reply): Record<string, unknown> {
  return (body['error'] as { details?: Record<string, unknown> } | undefined)?.details ?? {}
}
