import type { Address } from '../chain.ts'
import { fieldsFrom, listFrom, malformed } from '../json-rpc/answer.ts'
import type { Read } from '../json-rpc/transport.ts'
import { addressFrom, contextFrom, integerFrom, textFrom } from './answer.ts'
import { TOKEN_ACCOUNT_BYTES } from './token-account.ts'

/** An account as the chain keeps it. */
export interface Account {
  readonly lamports: bigint
  readonly owner: Address
  readonly isExecutable: boolean
  /** The beginning of its data, as far as it was asked for. */
  readonly data: Uint8Array
  /** Bytes of all of its data. */
  readonly space: bigint
}

const BASE64 = 'base64'

/**
 * The beginnings of several accounts, all at one slot; undefined for one that does not exist. Left out, enough for a token account; a
 * stranger's account may be 10 MB.
 */
export function accountsRead(
  addresses: readonly Address[],
  length: number = TOKEN_ACCOUNT_BYTES,
): Read<{ slot: bigint; accounts: readonly (Account | undefined)[] }> {
  return {
    method: 'getMultipleAccounts',
    params: [
      addresses,
      { commitment: 'confirmed', encoding: BASE64, dataSlice: { offset: 0, length } },
    ],
    parse: (result) => {
      const { slot, value } = contextFrom(result, 'accounts')
      const accounts = listFrom(value, 'accounts').map((each) => accountFrom(each, length))
      if (accounts.length !== addresses.length) throw malformed('accounts', 'length')
      return { slot, accounts }
    },
  }
}

/** One whole account; undefined when it does not exist. */
export function accountRead(address: Address): Read<Account | undefined> {
  return {
    method: 'getAccountInfo',
    params: [address, { commitment: 'confirmed', encoding: BASE64 }],
    parse: (result) => accountFrom(contextFrom(result, 'account').value),
  }
}

/**
 * Reads an account in base64, undefined when it does not exist, else throws NodeFailure. Of its data all are wanted, or so many bytes: what
 * is cut off would be read as a token account that holds nothing.
 */
export function accountFrom(
  value: unknown,
  length = Number.POSITIVE_INFINITY,
): Account | undefined {
  if (value === null) return undefined
  const fields = fieldsFrom(value, 'account')
  const [text, encoding] = listFrom(fields['data'], "account's data")
  if (encoding !== BASE64) throw malformed("account's encoding", encoding)
  if (typeof fields['executable'] !== 'boolean') {
    throw malformed("account's executable flag", fields['executable'])
  }
  const data = Buffer.from(textFrom(text, "account's data"), BASE64)
  const space = integerFrom(fields['space'], "account's space")
  if (data.length < Math.min(length, Number(space)) || space < data.length) {
    throw malformed("account's data", 'length')
  }
  return {
    lamports: integerFrom(fields['lamports'], 'lamports'),
    owner: addressFrom(fields['owner'], "account's owner"),
    isExecutable: fields['executable'],
    data,
    space,
  }
}
