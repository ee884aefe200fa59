import { base58Of } from '../chain/block.ts'
import { uiTokenAmount } from '../chain/token-account.ts'
import type { RpcValue } from '../rpc-json.ts'
import { extensionName } from './token-extensions.ts'
import type { Said } from './parsed-instruction.ts'

const AUTHORITY_TYPES = ['mintTokens', 'freezeAccount', 'accountOwner', 'closeAccount']
const ADDRESS_BYTES = 32

/** Names of the instructions that carry an amount, by number, with the names of their accounts. */
const WITH_AMOUNT: Readonly<Record<number, readonly [string, ...string[]]>> = {
  3: ['transfer', 'source', 'destination'],
  4: ['approve', 'source', 'delegate'],
  7: ['mintTo', 'mint', 'account'],
  8: ['burn', 'account', 'mint'],
}
const CHECKED: Readonly<Record<number, readonly [string, ...string[]]>> = {
  12: ['transferChecked', 'source', 'mint', 'destination'],
  13: ['approveChecked', 'source', 'mint', 'delegate'],
  14: ['mintToChecked', 'mint', 'account'],
  15: ['burnChecked', 'account', 'mint'],
}
const PLAIN: Readonly<Record<number, readonly [string, ...string[]]>> = {
  1: ['initializeAccount', 'account', 'mint', 'owner', 'rentSysvar'],
  17: ['syncNative', 'account'],
  22: ['initializeImmutableOwner', 'account'],
}
const AUTHORISED: Readonly<Record<number, readonly [string, ...string[]]>> = {
  5: ['revoke', 'source'],
  9: ['closeAccount', 'account', 'destination'],
  10: ['freezeAccount', 'account', 'mint'],
  11: ['thawAccount', 'account', 'mint'],
}

/** Token instructions that both programs know. Extensions of Token-2022 stay undecoded. */
export function parsedToken(accounts: readonly string[], data: Buffer): Said | undefined {
  const kind = data.readUInt8(0)
  const named = (names: readonly string[]): Record<string, RpcValue> =>
    Object.fromEntries(names.map((name, index) => [name, accounts[index] ?? '']))
  const party = kind === 7 || kind === 14 ? 'mintAuthority' : ownerNameOf(kind)

  const withAmount = WITH_AMOUNT[kind]
  if (withAmount !== undefined) {
    const [type, ...names] = withAmount
    const amount = data.readBigUInt64LE(1).toString()
    const signers = authority(accounts, names.length, party)
    return { type, info: { ...named(names), amount, ...signers } }
  }
  const checked = CHECKED[kind]
  if (checked !== undefined) {
    const [type, ...names] = checked
    const tokenAmount = { ...uiTokenAmount(data.readBigUInt64LE(1), data.readUInt8(9)) }
    const signers = authority(accounts, names.length, party)
    return { type, info: { ...named(names), tokenAmount, ...signers } }
  }
  const authorised = AUTHORISED[kind]
  if (authorised !== undefined) {
    const [type, ...names] = authorised
    return { type, info: { ...named(names), ...authority(accounts, names.length, party) } }
  }
  const plain = PLAIN[kind]
  if (plain !== undefined) {
    const [type, ...names] = plain
    return { type, info: named(names) }
  }
  return initialising(kind, accounts, data)
}

function initialising(
  kind: number,
  [account = '', mint = '']: readonly string[],
  data: Buffer,
): Said | undefined {
  const addressAt = (offset: number): string => {
    const bytes = data.subarray(offset, offset + ADDRESS_BYTES)
    if (bytes.length !== ADDRESS_BYTES) throw new RangeError('the data ends too early')
    return base58Of(bytes)
  }
  switch (kind) {
    case 0:
    case 20: {
      const freeze = data.readUInt8(34) === 1 ? { freezeAuthority: addressAt(35) } : {}
      const info = {
        mint: account,
        decimals: data.readUInt8(1),
        mintAuthority: addressAt(2),
        ...freeze,
      }
      return kind === 0
        ? { type: 'initializeMint', info: { ...info, rentSysvar: mint } }
        : { type: 'initializeMint2', info }
    }
    case 6: {
      const authorityType = AUTHORITY_TYPES[data.readUInt8(1)]
      if (authorityType === undefined) return undefined
      const newAuthority = data.readUInt8(2) === 1 ? addressAt(3) : null
      const subject =
        authorityType === 'mintTokens' || authorityType === 'freezeAccount' ? 'mint' : 'account'
      return {
        type: 'setAuthority',
        info: { [subject]: account, authorityType, newAuthority, authority: mint },
      }
    }
    case 21: {
      const extensionTypes: string[] = []
      for (let offset = 1; offset + 2 <= data.length; offset += 2) {
        extensionTypes.push(extensionName(data.readUInt16LE(offset)))
      }
      const info =
        extensionTypes.length === 0 ? { mint: account } : { mint: account, extensionTypes }
      return { type: 'getAccountDataSize', info }
    }
    case 16:
      return { type: 'initializeAccount2', info: { account, mint, owner: addressAt(1) } }
    case 18:
      return { type: 'initializeAccount3', info: { account, mint, owner: addressAt(1) } }
    default:
      return undefined
  }
}

function ownerNameOf(kind: number): string {
  if (kind === 4 || kind === 5 || kind === 9 || kind === 13) return 'owner'
  return kind === 10 || kind === 11 ? 'freezeAuthority' : 'authority'
}

/** One signer is named alone; a multisig with those who signed for it. */
function authority(
  accounts: readonly string[],
  from: number,
  name: string,
): Record<string, RpcValue> {
  const [owner = '', ...signers] = accounts.slice(from)
  if (signers.length === 0) return { [name]: owner }
  return { [`multisig${name.charAt(0).toUpperCase()}${name.slice(1)}`]: owner, signers }
}
