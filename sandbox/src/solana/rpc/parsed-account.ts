import { unwrapOption } from '@solana/kit'
import { AccountState } from '@solana-program/token'
import type { StoredAccount } from '../chain/account.ts'
import { TOKEN_PROGRAM } from '../chain/program-addresses.ts'
import { mintOf, TOKEN_BYTES, tokenOf, uiTokenAmount } from '../chain/token-account.ts'
import { parsedRuntimeAccount } from './parsed-runtime-account.ts'
import { extensionName } from './token-extensions.ts'
import type { RpcValue } from '../rpc-json.ts'

const STATES: Readonly<Record<AccountState, string>> = {
  [AccountState.Uninitialized]: 'uninitialized',
  [AccountState.Initialized]: 'initialized',
  [AccountState.Frozen]: 'frozen',
}

/** Token accounts, mints, lookup tables and nonce accounts in words; undefined for every other account. */
export function parsedAccount(
  account: StoredAccount,
  read: (address: string) => StoredAccount | undefined,
): RpcValue | undefined {
  const program = account.owner === TOKEN_PROGRAM ? 'spl-token' : 'spl-token-2022'
  const space = account.data.length
  const token = tokenOf(account)
  if (token !== undefined) {
    const mint = mintOf(read(token.mint))
    if (mint === undefined) return undefined
    const delegate = unwrapOption(token.delegate)
    const reserve = unwrapOption(token.isNative)
    const closeAuthority = unwrapOption(token.closeAuthority)
    const amountOf = (amount: bigint): RpcValue => ({ ...uiTokenAmount(amount, mint.decimals) })
    const info = {
      mint: token.mint,
      owner: token.owner,
      tokenAmount: amountOf(token.amount),
      state: STATES[token.state],
      isNative: reserve !== null,
      ...(reserve === null ? {} : { rentExemptReserve: amountOf(reserve) }),
      ...(delegate === null ? {} : { delegate, delegatedAmount: amountOf(token.delegatedAmount) }),
      ...(closeAuthority === null ? {} : { closeAuthority }),
      ...extensionsOf(account.data),
    }
    return { program, parsed: { type: 'account', info }, space }
  }
  const mint = mintOf(account)
  if (mint === undefined) return parsedRuntimeAccount(account)
  const { mintAuthority, freezeAuthority, supply, decimals, isInitialized } = mint
  const info = {
    mintAuthority: unwrapOption(mintAuthority),
    freezeAuthority: unwrapOption(freezeAuthority),
    supply: supply.toString(),
    decimals,
    isInitialized,
    ...extensionsOf(account.data),
  }
  return { program, parsed: { type: 'mint', info }, space }
}

/** Names of the extensions that follow the base layout (type, length, value). */
function extensionsOf(data: Uint8Array): { extensions?: RpcValue } {
  const bytes = Buffer.from(data)
  const extensions: RpcValue[] = []
  let offset = TOKEN_BYTES + 1
  while (offset + 4 <= bytes.length) {
    const type = bytes.readUInt16LE(offset)
    if (type === 0) break
    extensions.push({ extension: extensionName(type) })
    offset += 4 + bytes.readUInt16LE(offset + 2)
  }
  return extensions.length === 0 ? {} : { extensions }
}
