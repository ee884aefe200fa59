import { NodeFailure } from '../chain.ts'
import type { Address } from '../chain.ts'
import { fieldsFrom, isObject, listFrom, malformed } from '../json-rpc/answer.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import type { BalanceChange, SimulationOutcome, Unreadable } from '../self-custody.ts'
import { accountFrom, accountsRead } from './accounts.ts'
import type { Account } from './accounts.ts'
import { contextFrom, transactionErrorFrom, transactionErrorText } from './answer.ts'
import type { Facts } from './facts.ts'
import { verdictOf } from './failures.ts'
import { inspectBytes } from './inspect.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { isOfTransaction } from './simulation-faults.ts'
import { readTokenAccount } from './token-account.ts'
import { readWireTransaction } from './wire-transaction.ts'

type Accounts = readonly (Account | undefined)[]

/** `null` where nothing ran to its end. */
interface Run {
  readonly slot: bigint
  readonly error: string | null
  readonly after: Accounts | null
}

/** An account of a simulated transaction. Of its data before, the beginning alone. */
export interface SimulatedAccount {
  readonly address: Address
  readonly before: Account | undefined
  readonly after: Account | undefined
}

/** Times that accounts are read again because the chain had moved between them and the simulation. */
const TRIES_MAX = 3

/** Runs a transaction on the newest confirmed state with its own blockhash. One round trip, unless a slot ends within it. */
export async function simulateBytes(
  deps: { readonly transport: Transport; readonly facts: Facts },
  bytes: Uint8Array,
  sender?: Address,
): Promise<SimulationOutcome | Unreadable> {
  return (await simulateAccounts(deps, bytes, sender)).outcome
}

/** The same, with its accounts themselves; none where it did not run to its end. */
export async function simulateAccounts(
  deps: { readonly transport: Transport; readonly facts: Facts },
  bytes: Uint8Array,
  sender?: Address,
): Promise<{
  readonly outcome: SimulationOutcome | Unreadable
  readonly accounts: readonly SimulatedAccount[]
}> {
  const inspected = inspectBytes(deps, bytes)
  if (!inspected.ok) return { outcome: inspected, accounts: [] }
  const read = readWireTransaction(bytes)
  if (sender !== undefined && read?.signers.includes(sender) !== true) {
    const reason = 'it is not for the wallet that was named to sign'
    return { outcome: { ok: false, reason }, accounts: [] }
  }
  const named = read?.instructions.flatMap(({ accounts }) => accounts) ?? []
  const addresses = [...new Set([...(read?.signers ?? []), ...named])]
  const { feeMax: fee } = inspected
  for (let attempt = 1; ; attempt += 1) {
    const [before, run] = await Promise.all([
      deps.transport.read({ ...accountsRead(addresses), apart: true }),
      deps.transport.read(runRead(bytes, addresses)),
    ])
    const isOneMoment = before.slot === run.slot || attempt === TRIES_MAX
    if (run.error !== null) {
      const outcome = { succeeds: false, error: run.error, changes: [], fee } as const
      return { outcome, accounts: [] }
    }
    if (!isOneMoment) continue
    const accounts = addresses.map((address, at) => ({
      ...{ address, before: before.accounts[at], after: run.after?.[at] },
    }))
    const changes = changesOf(accounts, fee)
    return { outcome: { succeeds: true, error: null, changes, fee }, accounts }
  }
}

function runRead(bytes: Uint8Array, addresses: readonly Address[]): Read<Run> {
  const options = {
    commitment: 'confirmed',
    encoding: 'base64',
    sigVerify: false,
    replaceRecentBlockhash: false,
    accounts: { encoding: 'base64', addresses },
  }
  return {
    apart: true,
    method: 'simulateTransaction',
    params: [Buffer.from(bytes).toString('base64'), options],
    parse: (result) => {
      const { slot, value } = contextFrom(result, 'simulation')
      const fields = fieldsFrom(value, 'simulation')
      const problem = transactionErrorFrom(fields['err'], "simulation's err")
      if (problem !== null && !isOfTransaction(problem)) {
        throw new NodeFailure(`the node cannot simulate: ${transactionErrorText(problem)}`)
      }
      if (problem !== null) return { slot, error: wordsOf(problem), after: null }
      const after = listFrom(fields['accounts'], 'simulated accounts').map((each) =>
        accountFrom(each),
      )
      // One that is not shown would look like one that is gone, with all that it held.
      if (after.length !== addresses.length) throw malformed('simulated accounts', 'length')
      return { slot, error: null, after }
    },
    // Bytes that no validator takes, whatever the accounts hold.
    meaning: (error) =>
      verdictOf(error).kind === 'rejected'
        ? { slot: 0n, error: 'the chain refuses its bytes', after: null }
        : undefined,
  }
}

const WORDS: Readonly<Record<string, string>> = {
  BlockhashNotFound: 'its blockhash is too old, or not of this chain',
  AccountNotFound: 'its fee payer holds nothing',
  InsufficientFundsForFee: 'its fee payer cannot pay the fee',
  InvalidAccountForFee: 'its fee payer is no wallet',
  AlreadyProcessed: 'it is on the chain already',
  ProgramAccountNotFound: 'it calls a program that does not exist',
}

/** Source: Agave, `TransactionError`. */
function wordsOf(problem: unknown): string {
  if (typeof problem === 'string')
    return WORDS[problem] ?? `the chain refuses it: ${shown(problem)}`
  const failed = isObject(problem) ? problem['InstructionError'] : undefined
  if (!Array.isArray(failed)) {
    const [name = 'an unknown error'] = isObject(problem) ? Object.keys(problem) : []
    return name === 'InsufficientFundsForRent'
      ? 'an account would hold less than its rent'
      : `the chain refuses it: ${shown(name)}`
  }
  const [place, why] = listFrom(failed, 'instruction error')
  const code = isObject(why) ? `error ${String(why['Custom'])}` : shown(String(why))
  return `instruction ${Number(place) + 1} fails: ${code}`
}

const SHOWN_CHARACTERS = 60

function shown(text: string): string {
  return text.replaceAll(/[^\w ]/g, '').slice(0, SHOWN_CHARACTERS)
}

function changesOf(accounts: readonly SimulatedAccount[], fee: bigint): readonly BalanceChange[] {
  return accounts.flatMap(({ address, before: then, after: now }, index) => {
    // The fee payer stands first.
    const kept = index === 0 ? fee : 0n
    const lamports = (now?.lamports ?? 0n) + kept - (then?.lamports ?? 0n)
    const held = tokenOf(now) ?? tokenOf(then)
    const tokens = (tokenOf(now)?.amount ?? 0n) - (tokenOf(then)?.amount ?? 0n)
    return [
      ...(lamports === 0n ? [] : [{ address, asset: 'native', delta: lamports }]),
      ...(held === undefined || tokens === 0n
        ? []
        : [{ address: held.owner, asset: held.mint, delta: tokens }]),
    ]
  })
}

/** What a token program keeps in an account; undefined where it is none of its own. */
export function tokenOf(account: Account | undefined) {
  const isToken = account?.owner === TOKEN_PROGRAM || account?.owner === TOKEN_2022_PROGRAM
  return account !== undefined && isToken ? readTokenAccount(account.data) : undefined
}
