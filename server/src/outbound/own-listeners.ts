import { networkInterfaces } from 'node:os'
import { isLoopbackAddress } from './global-address.ts'

/** Where this service, its database or its nodes listen; a host of all zeros means every address of the machine. */
export interface Listener {
  readonly host: string
  readonly port: number
}

/**
 * Whether dialling there would reach a listener of ours. On loopback the port alone decides: which of its addresses a listener has
 * taken is not worth a mistake.
 */
export function isOwnListener(
  address: string,
  port: number,
  listeners: readonly Listener[],
): boolean {
  const ports = listeners.filter((listener) => listener.port === port)
  if (ports.length === 0) return false
  return isLoopbackAddress(address) || addressesHere().has(address) || named(address, ports)
}

function named(address: string, listeners: readonly Listener[]): boolean {
  return listeners.some(({ host }) => host === address)
}

function addressesHere(): ReadonlySet<string> {
  const here = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return new Set(here.map(({ address }) => address))
}
