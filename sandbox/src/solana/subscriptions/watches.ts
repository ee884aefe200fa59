import type { JsonObject } from '../../host/json.ts'
import { isJsonArray, isJsonObject } from '../../host/json.ts'
import type { StoredAccount } from '../chain/account.ts'
import { SYSTEM_PROGRAM } from '../chain/program-addresses.ts'
import type { TransactionRecord } from '../chain/transaction-record.ts'
import { accountForm, accountView } from '../rpc/account-view.ts'
import { blockView } from '../rpc/block-methods.ts'
import { withContext } from '../rpc/method.ts'
import type { RpcContext } from '../rpc/method.ts'
import { addressAt, addressOf, commitmentOf, configAt, signatureOf } from '../rpc/params.ts'
import type { Params } from '../rpc/params.ts'
import { filtersOf } from '../rpc/program-accounts.ts'
import { invalidParams } from '../rpc/rpc-failure.ts'
import type { RpcValue } from '../rpc-json.ts'
import { slotUpdatesWatch } from './slot-updates.ts'
import type { Reached, Watch } from './subscription.ts'

/** Opens what `xSubscribe` asks for. @throws {RpcFailure} */
export type OpenWatch = (context: RpcContext, params: Params) => Watch

/** By method name. Votes do not exist here, so voteSubscribe does not either. */
export const WATCHES: Readonly<Record<string, OpenWatch>> = {
  accountSubscribe: accountWatch,
  programSubscribe: programWatch,
  logsSubscribe: logsWatch,
  signatureSubscribe: signatureWatch,
  slotSubscribe: slotWatch,
  slotsUpdatesSubscribe: slotUpdatesWatch,
  rootSubscribe: rootWatch,
  blockSubscribe: blockWatch,
}

/** What an account that is gone looks like to those who watch it. */
const GONE: StoredAccount = {
  lamports: 0n,
  owner: SYSTEM_PROGRAM,
  executable: false,
  data: new Uint8Array(),
}

function accountWatch({ chain }: RpcContext, params: Params): Watch {
  const address = addressAt(params, 0)
  const config = configAt(params, 1)
  const commitment = commitmentOf(config)
  const form = accountForm(config)
  return {
    name: 'accountNotification',
    reached(event) {
      if (event.commitment !== commitment || !event.touched.has(address)) return []
      const read = (key: string) => chain.bank.readAt(key, event.slot)
      return [withContext({ ...event }, accountView(read(address) ?? GONE, form, read))]
    },
  }
}

function programWatch({ chain }: RpcContext, params: Params): Watch {
  const program = addressAt(params, 0)
  const config = configAt(params, 1)
  const commitment = commitmentOf(config)
  const form = accountForm(config)
  const matches = filtersOf(config['filters'])
  return {
    name: 'programNotification',
    reached(event) {
      if (event.commitment !== commitment) return []
      const read = (key: string) => chain.bank.readAt(key, event.slot)
      return [...event.touched].flatMap((pubkey) => {
        const account = read(pubkey)
        if (account?.owner !== program || !matches(account)) return []
        return [withContext({ ...event }, { pubkey, account: accountView(account, form, read) })]
      })
    },
  }
}

function logsWatch(_: RpcContext, params: Params): Watch {
  const [filter] = params
  const mentioned = isJsonObject(filter) ? filter['mentions'] : undefined
  if (!isJsonArray(mentioned) && filter !== 'all' && filter !== 'allWithVotes') {
    throw invalidParams('Invalid params: filter is "all", "allWithVotes" or {mentions: [address]}')
  }
  if (isJsonArray(mentioned) && mentioned.length !== 1) {
    throw invalidParams('Invalid Request: Only 1 address supported')
  }
  const address = isJsonArray(mentioned) ? addressOf(mentioned[0]) : undefined
  const commitment = commitmentOf(configAt(params, 1))
  return {
    name: 'logsNotification',
    reached: (event) =>
      event.commitment === commitment
        ? event.records
            .filter(({ keys }) => address === undefined || keys.includes(address))
            .map(({ signature, error, logs }) =>
              withContext({ ...event }, { signature, err: error, logs }),
            )
        : [],
  }
}

function signatureWatch({ chain }: RpcContext, params: Params): Watch {
  const signature = signatureOf(params[0])
  const config = configAt(params, 1)
  const commitment = commitmentOf(config)
  const wantsReceived = config['enableReceivedNotification'] === true
  let isReceived = false
  let isDone = false
  const look = (): readonly RpcValue[] => {
    const slot = chain.bank.records.slotOf(signature)
    if (isDone || slot === undefined) return []
    const now: RpcValue[] = []
    if (wantsReceived && !isReceived) {
      isReceived = true
      now.push(withContext({ slot, commitment }, 'receivedSignature'))
    }
    if (slot <= chain.slotOf(commitment)) {
      isDone = true
      const { error } = chain.bank.records.get(signature) ?? { error: null }
      now.push(withContext({ slot, commitment }, { err: error }))
    }
    return now
  }
  return { name: 'signatureNotification', reached: look, moved: look, isDone: () => isDone }
}

function slotWatch({ chain }: RpcContext): Watch {
  let told = chain.bank.open().slot
  return {
    name: 'slotNotification',
    moved() {
      const blocks = chain.bank.blocks().filter(({ slot }) => slot > told)
      told = chain.bank.open().slot
      const root = chain.keeper.finalSlot()
      return blocks.map(({ slot, parentSlot: parent }) => ({ slot, parent, root }))
    },
  }
}

function rootWatch({ chain }: RpcContext): Watch {
  let told = chain.keeper.finalSlot()
  return {
    name: 'rootNotification',
    moved() {
      const now = chain.keeper.finalSlot()
      const roots = chain.bank.blocks().filter(({ slot }) => slot > told && slot <= now)
      told = now
      return roots.map(({ slot }) => slot)
    },
  }
}

function blockWatch(context: RpcContext, params: Params): Watch {
  const [filter] = params
  const mentions = isJsonObject(filter) ? addressOf(filter['mentionsAccountOrProgram']) : undefined
  if (mentions === undefined && filter !== 'all') {
    throw invalidParams('Invalid params: filter is "all" or {mentionsAccountOrProgram: address}')
  }
  const config: JsonObject = { ...configAt(params, 1) }
  const commitment = commitmentOf(config)
  if (commitment === 'processed') {
    throw invalidParams('Method does not support commitment below `confirmed`')
  }
  return {
    name: 'blockNotification',
    reached(event: Reached) {
      if (event.commitment !== commitment) return []
      const isMeant = ({ keys }: TransactionRecord) =>
        mentions === undefined || keys.includes(mentions)
      const records = event.records.filter(isMeant)
      if (mentions !== undefined && records.length === 0) return []
      const block = context.chain.bank.blockAt(event.slot)
      const shown = { ...block, signatures: records.map(({ signature }) => signature) }
      const value = { slot: event.slot, block: blockView(context, shown, config), err: null }
      return [withContext({ ...event }, value)]
    },
  }
}
