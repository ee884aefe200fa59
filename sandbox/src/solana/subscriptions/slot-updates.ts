import type { Block } from '../chain/block.ts'
import type { RpcContext } from '../rpc/method.ts'
import type { RpcValue } from '../rpc-json.ts'
import type { Watch } from './subscription.ts'

/** The stages of each slot: its first shred and its bank, then full, frozen and confirmed, and at last a root. */
export function slotUpdatesWatch({ chain }: RpcContext): Watch {
  const { bank, keeper } = chain
  let opened = bank.open().slot
  let rooted = keeper.finalSlot()
  return {
    name: 'slotsUpdatesNotification',
    moved() {
      const timestamp = Date.now()
      const [openedNow, rootedNow] = [bank.open().slot, keeper.finalSlot()]
      const updates: RpcValue[] = []
      const tell = (slot: number, type: string, more: Fields = {}): void =>
        void updates.push({ slot, timestamp, type, ...more })
      for (const block of bank.blocks()) {
        const { slot, parentSlot: parent } = block
        if (slot >= opened && slot < openedNow) {
          tell(slot, 'completed')
          tell(slot, 'frozen', { stats: statsOf(block, chain) })
          tell(slot, 'optimisticConfirmation')
        }
        if (slot > opened && slot <= openedNow) {
          tell(slot, 'firstShredReceived')
          tell(slot, 'createdBank', { parent })
        }
        if (slot > rooted && slot <= rootedNow) tell(slot, 'root')
      }
      opened = openedNow
      rooted = rootedNow
      return updates
    },
  }
}

type Fields = Readonly<Record<string, RpcValue>>

/** Every transaction is an entry of its own here. */
function statsOf({ signatures }: Block, { bank }: RpcContext['chain']): RpcValue {
  const failed = signatures.filter((one) => (bank.records.get(one)?.error ?? null) !== null).length
  return {
    maxTransactionsPerEntry: signatures.length === 0 ? 0 : 1,
    numFailedTransactions: failed,
    numSuccessfulTransactions: signatures.length - failed,
    numTransactionEntries: signatures.length,
  }
}
