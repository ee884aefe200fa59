import type { Environment } from '@florin/server/data-directory.ts'

/** Kubernetes: of every Service of the namespace, named `florin` or `florin-...`. */
const OF_SERVICE = /^FLORIN_(?:[A-Z0-9_]+_)?SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)$/
/** Kubernetes, and Docker's links: one port. */
const OF_PORT = /^(FLORIN_(?:[A-Z0-9_]+_)?PORT)_[0-9]+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/
const ADDRESS = /^(?:tcp|udp|sctp):\/\//

/**
 * The environment without what Kubernetes puts into every container of a namespace with a Service called `florin` or `florin-...`, and
 * Docker into those with a link. `FLORIN_PORT` is among it: an address there, and nobody's setting. (A Service `florin-metrics` does the
 * same to FLORIN_METRICS_PORT.) It is taken for one only beside its other half, so that an address that somebody set is still refused.
 * Source: Kubernetes, "Accessing the Service: environment variables".
 */
export function withoutServiceLinks(environment: Environment): Environment {
  const firstPorts = new Set(Object.keys(environment).map((name) => OF_PORT.exec(name)?.[1]))
  const isLink = (name: string, value = '') =>
    OF_SERVICE.test(name) ||
    OF_PORT.test(name) ||
    (firstPorts.has(name) && ADDRESS.test(value.trim()))
  return Object.fromEntries(Object.entries(environment).filter((entry) => !isLink(...entry)))
}
