import { ACCOUNT_METHODS } from './account-methods.ts'
import { ADDRESS_HISTORY } from './address-history.ts'
import { BLOCK_METHODS } from './block-methods.ts'
import { CHAIN_METHODS } from './chain-methods.ts'
import type { Method, Methods } from './method.ts'
import { SEND_METHODS } from './send-methods.ts'
import { TOKEN_METHODS } from './token-methods.ts'
import { TRANSACTION_METHODS } from './transaction-methods.ts'

const METHODS: Methods = {
  ...CHAIN_METHODS,
  ...ACCOUNT_METHODS,
  ...TOKEN_METHODS,
  ...TRANSACTION_METHODS,
  ...ADDRESS_HISTORY,
  ...BLOCK_METHODS,
  ...SEND_METHODS,
}

/** The method of a name; undefined when there is none. */
export function methodNamed(name: string): Method | undefined {
  return Object.hasOwn(METHODS, name) ? METHODS[name] : undefined
}
