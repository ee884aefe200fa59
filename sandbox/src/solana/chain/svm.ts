import { address, getAddressDecoder, lamports } from '@solana/kit'
import type { EncodedAccount, Transaction } from '@solana/kit'
import { Clock, EpochSchedule, FailedTransactionMetadata, LiteSVM } from 'litesvm'
import type { TransactionMetadata } from 'litesvm'
import type { StoredAccount } from './account.ts'
import { SLOT_HASHES_SYSVAR, SYSVAR_OWNER } from './program-addresses.ts'
import { transactionErrorOf } from './transaction-error.ts'
import type { TransactionError } from './transaction-error.ts'

export const SLOTS_PER_EPOCH = 432_000n

export interface InnerInstruction {
  readonly programIdIndex: number
  readonly accounts: readonly number[]
  readonly data: Uint8Array
  readonly stackHeight: number
}

/** What running a transaction gave. */
export interface Outcome {
  readonly error: TransactionError | null
  readonly logs: readonly string[]
  readonly units: bigint
  /** By instruction of the message. */
  readonly inner: readonly (readonly InnerInstruction[])[]
  readonly returnData: { readonly programId: string; readonly data: Uint8Array } | null
}

export interface Simulated extends Outcome {
  /** The accounts as they would be; empty after an error. */
  readonly after: ReadonlyMap<string, StoredAccount>
}

/** The virtual machine with its accounts. It knows no blocks, no blockhashes and no duplicates: those are the bank's. */
export interface Svm {
  read(address: string): StoredAccount | undefined
  /** Undefined takes the account away. */
  write(address: string, account: StoredAccount | undefined): void
  owned(program: string): ReadonlyMap<string, StoredAccount>
  /** Runs it and keeps what it did. Signatures are checked. */
  execute(transaction: Transaction): Outcome
  simulate(transaction: Transaction, verifySignatures: boolean): Simulated
  /** Sets the clock and what programs see of earlier slots (newest first, slot and 32-byte hash). */
  enterSlot(slot: number, unixSeconds: number, hashes: readonly [number, Uint8Array][]): void
  rentExemptMinimum(bytes: number): bigint
  toBytes(): Uint8Array
}

/** A new machine, or one from what `toBytes` gave. */
export function openSvm(saved?: Uint8Array): Svm {
  const vm = (saved === undefined ? new LiteSVM() : LiteSVM.fromBytes(saved))
    .withBlockhashCheck(false)
    .withTransactionHistory(0n)
    .withSigverify(true)
  if (saved === undefined) {
    vm.setEpochSchedule(new EpochSchedule(SLOTS_PER_EPOCH, SLOTS_PER_EPOCH, false, 0n, 0n))
  }

  const write = (text: string, account: StoredAccount | undefined): void => {
    const data = account?.data ?? new Uint8Array()
    vm.setAccount({
      address: address(text),
      lamports: lamports(account?.lamports ?? 0n),
      programAddress: account?.owner ?? SYSVAR_OWNER,
      executable: account?.executable ?? false,
      space: BigInt(data.length),
      data,
    })
  }

  return {
    read(text) {
      const found = vm.getAccount(address(text))
      return found.exists ? stored(found) : undefined
    },
    write,
    owned: (program) =>
      new Map(
        vm.getProgramAccounts(address(program)).map((found) => [found.address, stored(found)]),
      ),
    execute: (transaction) => outcomeOf(vm.sendTransaction(transaction)),
    simulate(transaction, verifySignatures) {
      if (!verifySignatures) vm.withSigverify(false)
      try {
        const result = vm.simulateTransaction(transaction)
        if (result instanceof FailedTransactionMetadata) {
          return { ...outcomeOf(result), after: new Map() }
        }
        const after = result
          .postAccounts()
          .map((found): [string, StoredAccount] => [found.address, stored(found)])
        return { ...outcomeOf(result.meta()), after: new Map(after) }
      } finally {
        vm.withSigverify(true)
      }
    },
    enterSlot(slot, unixSeconds, hashes) {
      const epoch = BigInt(slot) / SLOTS_PER_EPOCH
      vm.setClock(
        new Clock(BigInt(slot), BigInt(unixSeconds), epoch, epoch + 1n, BigInt(unixSeconds)),
      )
      const data = slotHashesData(hashes)
      const rent = vm.minimumBalanceForRentExemption(BigInt(data.length))
      write(SLOT_HASHES_SYSVAR, { lamports: rent, owner: SYSVAR_OWNER, executable: false, data })
    },
    rentExemptMinimum: (bytes) => vm.minimumBalanceForRentExemption(BigInt(bytes)),
    toBytes: () => vm.toBytes(),
  }
}

function stored(found: EncodedAccount): StoredAccount {
  const { lamports: amount, programAddress: owner, executable, data } = found
  return { lamports: amount, owner, executable, data: Uint8Array.from(data) }
}

function outcomeOf(result: TransactionMetadata | FailedTransactionMetadata): Outcome {
  const isFailed = result instanceof FailedTransactionMetadata
  const meta = isFailed ? result.meta() : result
  const returned = meta.returnData()
  return {
    error: isFailed ? transactionErrorOf(result.err()) : null,
    logs: meta.logs(),
    units: meta.computeUnitsConsumed(),
    inner: meta.innerInstructions().map((list) =>
      list.map((inner) => ({
        programIdIndex: inner.instruction().programIdIndex(),
        accounts: [...inner.instruction().accounts()],
        data: inner.instruction().data(),
        stackHeight: inner.stackHeight(),
      })),
    ),
    returnData:
      returned.data().length === 0
        ? null
        : { programId: getAddressDecoder().decode(returned.programId()), data: returned.data() },
  }
}

/** The sysvar's layout: a count, then slot and hash of each. litesvm's own class for an entry has no constructor. */
function slotHashesData(hashes: readonly [number, Uint8Array][]): Uint8Array {
  const SPACE = 20_488
  const data = Buffer.alloc(SPACE)
  data.writeBigUInt64LE(BigInt(hashes.length), 0)
  for (const [index, [slot, hash]] of hashes.entries()) {
    data.writeBigUInt64LE(BigInt(slot), 8 + index * 40)
    data.set(hash, 16 + index * 40)
  }
  return data
}
