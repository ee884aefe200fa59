import { call } from './call.ts'
import type { CallOptions, IntentOptions } from './call.ts'
import type { Connection } from './connection.ts'
import type { ChallengeAddressAnswer } from './contract/challenge-address.ts'
import type { DeleteAddressAnswer } from './contract/delete-address.ts'
import type { ListAddressesAnswer } from './contract/list-addresses.ts'
import type { RegisterAddressAnswer, RegisterAddressBody } from './contract/register-address.ts'

export type ReceivingAddress = ListAddressesAnswer['addresses'][number]

/** Receiving addresses whose payments only this account may claim. */
export interface Addresses {
  /** The text to sign with the address's own key. */
  challenge(address: string, options?: CallOptions): Promise<ChallengeAddressAnswer>
  register(signed: RegisterAddressBody, options?: IntentOptions): Promise<RegisterAddressAnswer>
  list(options?: CallOptions): Promise<readonly ReceivingAddress[]>
  /** Gives one up. Not repeated when the answer is lost: NOT_FOUND then means that it is done. */
  delete(address: string, options?: CallOptions): Promise<DeleteAddressAnswer>
}

export function addresses(connection: Connection): Addresses {
  return {
    challenge: (address, options) =>
      call(connection, 'challengeAddress', { query: { address } }, options),
    register: (body, options) => call(connection, 'registerAddress', { body }, options),
    list: async (options) => (await call(connection, 'listAddresses', {}, options)).addresses,
    delete: (address, options) =>
      call(connection, 'deleteAddress', { parts: { address } }, options),
  }
}
