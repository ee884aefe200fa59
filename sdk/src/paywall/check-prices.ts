import { addressBytes } from '../base58.ts'
import { NETWORK_NAMES } from '../contract/network-names.ts'
import { FlorinError } from '../florin-error.ts'
import type { PaywallPrice } from './price.ts'

const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i
const NOBODY = /^0x0{40}$/i

/**
 * Looks at what a seller says before anybody is asked to pay: a demand for nobody's address would be shown to every buyer, and none could pay it.
 * @throws {FlorinError} INVALID_SETTING
 */
export function checkPrices(prices: readonly PaywallPrice[]): void {
  if (prices.length === 0) throw refused('accepts has no price')
  for (const { network, payTo } of prices) {
    if (!isReceiver(NETWORK_NAMES[network] ?? network, payTo)) {
      throw refused(`payTo is "${payTo}", which is no address of ${network} that can be paid`)
    }
  }
}

/** Of a network whose addresses are not known here the service and the buyers decide. */
function isReceiver(network: string, payTo: unknown): boolean {
  if (typeof payTo !== 'string' || payTo === '') return false
  if (network.startsWith('eip155:')) return EVM_ADDRESS.test(payTo) && !NOBODY.test(payTo)
  if (network.startsWith('solana:')) return addressBytes(payTo)?.some((byte) => byte !== 0) === true
  return true
}

function refused(message: string): FlorinError {
  return new FlorinError({ code: 'INVALID_SETTING', message })
}
