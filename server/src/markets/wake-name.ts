const PREFIX = 'market:'

/** What instances are told when a network's markets have something to say. */
export function marketName(network: string): string {
  return `${PREFIX}${network}`
}

/** The network of such a name; undefined for a name of something else. */
export function networkOfName(name: string): string | undefined {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined
}
