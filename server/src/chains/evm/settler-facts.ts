import { limits } from '../../kernel/limits.ts'
import type { Address } from '../chain.ts'
import { askedAtMost } from '../json-rpc/asked-at-most.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { nonceRead } from './blocks.ts'
import { latestBlockRead, suggestedTipRead } from './fees.ts'
import { balanceView, dataFeeView, readViews } from './multicall.ts'

/** What settling from an address takes beside the call itself. Money in base units of the native currency. */
export interface SettlerFacts {
  readonly balance: bigint
  /** For publishing a transaction of so many bytes elsewhere; 0 where the chain takes no such fee. */
  readonly dataFee: bigint
  /** Used-up nonces of the address. */
  readonly laneLatest: bigint
  readonly baseFeePerGas: bigint
  readonly suggestedTipPerGas: bigint
  /** Unix time of the newest block. */
  readonly nowSeconds: bigint
}

/** Asks for the facts of an address and a transaction of so many bytes. Throws NodeFailure. */
export type ReadSettlerFacts = (settler: Address, transactionBytes: number) => Promise<SettlerFacts>

/**
 * Those who ask for the same until the batch is put together share the questions and their answers: of a wave of 64 settlements each asked
 * four of them, to be compared with all others that wait.
 */
export function openSettlerFacts(transport: Pick<Transport, 'readLast'>): ReadSettlerFacts {
  const asking = new Map<string, Promise<SettlerFacts>>()
  const inBounds = askedAtMost(limits.nodeReadsMax)

  async function ask(
    name: string,
    settler: Address,
    transactionBytes: number,
  ): Promise<SettlerFacts> {
    const [[balance = 0n, dataFee = 0n], laneLatest, { baseFeePerGas, timeSeconds }, tip] =
      await Promise.all([
        transport.readLast(() => {
          asking.delete(name)
          return readViews([balanceView(settler, 'native'), dataFeeView(transactionBytes)])
        }),
        transport.readLast(() => nonceRead(settler, 'latest')),
        transport.readLast(() => latestBlockRead),
        transport.readLast(() => suggestedTipRead),
      ])
    const fees = { baseFeePerGas, suggestedTipPerGas: tip }
    return { balance, dataFee, laneLatest, ...fees, nowSeconds: timeSeconds }
  }

  return (settler, transactionBytes) => {
    const name = `${settler} ${transactionBytes}`
    return inBounds(() => {
      const known = asking.get(name)
      if (known !== undefined) return known
      const shared = ask(name, settler, transactionBytes)
      asking.set(name, shared)
      // What is refused at once is never made.
      shared.catch(() => {
        if (asking.get(name) === shared) asking.delete(name)
      })
      return shared
    })
  }
}
