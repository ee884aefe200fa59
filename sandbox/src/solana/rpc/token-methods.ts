import { unwrapOption } from '@solana/kit'
import type { JsonObject } from '../../host/json.ts'
import { isJsonObject } from '../../host/json.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../chain/program-addresses.ts'
import { mintOf, tokenOf, uiTokenAmount } from '../chain/token-account.ts'
import type { RpcValue } from '../rpc-json.ts'
import { readerAt } from './account-methods.ts'
import { accountForm, accountView } from './account-view.ts'
import { viewFor, withContext } from './method.ts'
import type { Methods, RpcContext } from './method.ts'
import type { Params } from './params.ts'
import { addressAt, addressOf, configAt } from './params.ts'
import { ownedAt } from './program-accounts.ts'
import { invalidParams } from './rpc-failure.ts'

const LARGEST_MAX = 20

/** Token accounts and mints of both token programs. */
export const TOKEN_METHODS: Methods = {
  getTokenAccountBalance(context, params) {
    const address = addressAt(params, 0)
    const view = viewFor(context, configAt(params, 1))
    const read = readerAt(context, view)
    const account = read(address)
    if (account === undefined) throw invalidParams('Invalid param: could not find account')
    const token = tokenOf(account)
    const mint = token === undefined ? undefined : mintOf(read(token.mint))
    if (token === undefined || mint === undefined) {
      throw invalidParams('Invalid param: not a Token account')
    }
    return withContext(view, { ...uiTokenAmount(token.amount, mint.decimals) })
  },
  getTokenSupply(context, params) {
    const view = viewFor(context, configAt(params, 1))
    const account = readerAt(context, view)(addressAt(params, 0))
    if (account === undefined) throw invalidParams('Invalid param: could not find account')
    const mint = mintOf(account)
    if (mint === undefined) throw invalidParams('Invalid param: not a Token mint')
    return withContext(view, { ...uiTokenAmount(mint.supply, mint.decimals) })
  },
  getTokenLargestAccounts(context, params) {
    const address = addressAt(params, 0)
    const view = viewFor(context, configAt(params, 1))
    const account = readerAt(context, view)(address)
    const mint = mintOf(account)
    if (account === undefined || mint === undefined) {
      throw invalidParams('Invalid param: not a Token mint')
    }
    const largest = ownedAt(context, account.owner, view)
      .flatMap(([holder, found]) => {
        const token = tokenOf(found)
        return token?.mint === address ? [{ holder, amount: token.amount }] : []
      })
      .sort((left, right) => (left.amount < right.amount ? 1 : -1))
      .slice(0, LARGEST_MAX)
      .map(({ holder, amount }) => ({
        address: holder,
        ...uiTokenAmount(amount, mint.decimals),
      }))
    return withContext(view, largest)
  },
  getTokenAccountsByOwner: (context, params) =>
    tokenAccounts(context, params, ({ owner }) => owner),
  getTokenAccountsByDelegate: (context, params) =>
    tokenAccounts(context, params, ({ delegate }) => unwrapOption(delegate)),
}

type Token = NonNullable<ReturnType<typeof tokenOf>>

function tokenAccounts(
  context: RpcContext,
  params: Params,
  partyOf: (token: Token) => string | null,
): RpcValue {
  const party = addressAt(params, 0)
  const config = configAt(params, 2)
  const view = viewFor(context, config)
  const read = readerAt(context, view)
  const { program, mint } = wantedOf(configAt(params, 1), read)
  const form = accountForm(config)
  const found = ownedAt(context, program, view).flatMap(([pubkey, account]) => {
    const token = tokenOf(account)
    if (token === undefined || partyOf(token) !== party) return []
    if (mint !== undefined && token.mint !== mint) return []
    return [{ pubkey, account: accountView(account, form, read) }]
  })
  return withContext(view, found)
}

function wantedOf(
  filter: JsonObject,
  read: ReturnType<typeof readerAt>,
): { program: string; mint: string | undefined } {
  if (!isJsonObject(filter)) throw invalidParams('Invalid params: expected {mint} or {programId}')
  const { mint, programId } = filter
  if (mint !== undefined) {
    const address = addressOf(mint)
    const account = read(address)
    if (account === undefined) throw invalidParams('Invalid param: could not find mint')
    if (mintOf(account) === undefined) throw invalidParams('Invalid param: not a Token mint')
    return { program: account.owner, mint: address }
  }
  const program = addressOf(programId)
  if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) {
    throw invalidParams('Invalid param: unrecognized Token program id')
  }
  return { program, mint: undefined }
}
