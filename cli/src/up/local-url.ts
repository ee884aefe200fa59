/** An address to listen on as one to call on this machine: "any address" is not callable everywhere. */
export function localUrl(host: string, port: number): string {
  const callable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${callable.includes(':') ? `[${callable}]` : callable}:${port}`
}
