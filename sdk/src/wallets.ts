import { call } from './call.ts'
import type { CallOptions, IntentOptions } from './call.ts'
import type { Connection } from './connection.ts'
import type { CreateWalletAnswer, CreateWalletBody } from './contract/create-wallet.ts'
import type { DeleteWalletAnswer } from './contract/delete-wallet.ts'
import type { GetWalletAnswer } from './contract/get-wallet.ts'
import type { ListWalletsAnswer } from './contract/list-wallets.ts'
import type { SetWalletPolicyAnswer, SetWalletPolicyBody } from './contract/set-wallet-policy.ts'

export type Wallet = ListWalletsAnswer['wallets'][number]

export interface Wallets {
  /** Makes a wallet whose key the service holds. */
  create(wallet: CreateWalletBody, options?: IntentOptions): Promise<CreateWalletAnswer>
  /** All of them, oldest first. */
  list(options?: CallOptions): Promise<readonly Wallet[]>
  /** A wallet, its balances and its policy. */
  get(address: string, options?: CallOptions): Promise<GetWalletAnswer>
  /** Deletes a wallet that is empty and idle. Not repeated when the answer is lost: NOT_FOUND then means that it is done. */
  delete(address: string, options?: CallOptions): Promise<DeleteWalletAnswer>
  /** Replaces the whole spending policy; `{}` removes it. Where there is one already, that takes a key of the scope `admin`. */
  setPolicy(
    address: string,
    policy: SetWalletPolicyBody,
    options?: CallOptions,
  ): Promise<SetWalletPolicyAnswer>
}

export function wallets(connection: Connection): Wallets {
  return {
    create: (body, options) => call(connection, 'createWallet', { body }, options),
    list: async (options) => (await call(connection, 'listWallets', {}, options)).wallets,
    get: (address, options) => call(connection, 'getWallet', { parts: { address } }, options),
    delete: (address, options) => call(connection, 'deleteWallet', { parts: { address } }, options),
    setPolicy: (address, body, options) =>
      call(connection, 'setWalletPolicy', { parts: { address }, body }, options),
  }
}
