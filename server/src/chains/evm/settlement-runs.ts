import type { Clock } from '../../kernel/clock.ts'
import { limits } from '../../kernel/limits.ts'
import type { Address } from '../chain.ts'
import { malformed } from '../json-rpc/answer.ts'
import { askedAtMost } from '../json-rpc/asked-at-most.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { bytesFrom } from './answer.ts'
import { estimateProblemOf } from './failures.ts'
import { callGas } from './gas.ts'
import { hexBytes, hexQuantity } from './hex.ts'
import { readRuns, RUN_DATA_BYTES, writeRuns } from './run-code.ts'
import type { Ran } from './run-code.ts'
import type { Call } from './transfer.ts'

/** Of 316 bytes each, together four tenths of what init code may have (EIP-3860), and 12.4 million gas where all but one burn theirs: less than a transaction may take (EIP-7825). */
const RUNS_PER_CALL_MAX = 64

/** After a shared call that no node answered each is run in a call of its own for so long: it may have been too much for one. */
const ALONE_MILLISECONDS = 10_000
/** 20 bytes of hex with 0x. */
const ADDRESS_CHARACTERS = 42
/** The gas of an entry is four bytes. */
const GAS_MAX = 2n ** 32n

/** What a run that moved the money gives back: nothing (EIP-3009), or true, as tokens have it that were made like their `transfer`. */
const RAN: ReadonlySet<unknown> = new Set(['0x', `0x${'1'.padStart(64, '0')}`])

interface Asked {
  readonly call: Call
  /** Of a transaction with this call. */
  readonly gas: bigint
}

/** Runs calls that would settle, each as if it were alone, at the newest block. */
export interface SettlementRuns {
  /**
   * Whether a transaction with this call from a settler would succeed within so much gas; false says nothing of why, and where others are run in the same
   * call not even that it is the call's own fault. Throws NodeFailure, also where what came back says neither yes nor no.
   */
  runs(settler: Address, call: Call, gas: bigint): Promise<boolean>
}

/**
 * Whoever asks until the batch is put together shares one call: a node takes a third of the time for 64 in one that it takes for 64 calls, and everybody
 * else less. Who asks alone has its own call, from the settler's own address. Source of who may submit: EIP-3009, which has anybody do it.
 */
export function openSettlementRuns(
  transport: Pick<Transport, 'readLast'>,
  clock: Pick<Clock, 'nowMilliseconds'>,
): SettlementRuns {
  interface Sharing {
    readonly asked: Asked[]
    readonly answer: Promise<readonly Ran[]>
  }
  const sharing = new Map<Address, Sharing>()
  const inBounds = askedAtMost(limits.nodeReadsMax)
  let failedAt = Number.NEGATIVE_INFINITY

  function mostPerCall(): number {
    const age = clock.nowMilliseconds() - failedAt
    return age >= 0 && age < ALONE_MILLISECONDS ? 1 : RUNS_PER_CALL_MAX
  }

  function begin(settler: Address): Sharing {
    const asked: Asked[] = []
    const isOver = () => {
      if (sharing.get(settler)?.asked === asked) sharing.delete(settler)
    }
    const answer = transport.readLast(() => {
      isOver()
      return runsRead(settler, asked)
    })
    answer.catch(() => {
      // It was never made where it was refused at once.
      isOver()
      if (asked.length > 1) failedAt = clock.nowMilliseconds()
    })
    return { asked, answer }
  }

  async function run(settler: Address, asked: Asked): Promise<Ran | undefined> {
    requireRunnable(asked)
    let open = sharing.get(settler)
    if (open === undefined || open.asked.length >= mostPerCall()) {
      open = begin(settler)
      sharing.set(settler, open)
    }
    const place = open.asked.push(asked) - 1
    return (await open.answer)[place]
  }

  return {
    runs: async (settler, call, gas) => {
      const ran = await inBounds(() => run(settler, { call, gas }))
      if (ran === 'unclear' || ran === undefined) throw malformed('run of a settlement', 'result')
      return ran === 'ran'
    },
  }
}

/** Fails for whoever asks, and for nobody who shares the call. */
function requireRunnable({ call: { to, data, value }, gas }: Asked): void {
  const isOne = data.length === RUN_DATA_BYTES && to.length === ADDRESS_CHARACTERS && value === 0n
  if (!isOne || gas < 0n || gas >= GAS_MAX) throw new Error('a call that is not run')
}

function runsRead(settler: Address, asked: readonly Asked[]): Read<readonly Ran[]> {
  const [first, ...others] = asked
  if (first === undefined) throw new Error('nothing to run')
  return others.length === 0 ? loneRead(settler, first) : sharedRead(settler, asked)
}

function loneRead(settler: Address, { call: { to, data }, gas }: Asked): Read<readonly Ran[]> {
  return {
    method: 'eth_call',
    params: [{ from: settler, to, data: hexBytes(data), gas: hexQuantity(gas) }, 'latest'],
    // Here, so that the next node is asked, and this one counts as one that failed.
    parse: (result) => {
      if (!RAN.has(result)) throw malformed('run of a settlement', 'result')
      return ['ran']
    },
    meaning: (error) => (estimateProblemOf(error) === undefined ? undefined : ['failed']),
  }
}

function sharedRead(settler: Address, asked: readonly Asked[]): Read<readonly Ran[]> {
  const entries = asked.map(({ call: { to, data }, gas }) => ({
    to: to.slice(2),
    data,
    gas: callGas(gas, data),
  }))
  return {
    method: 'eth_call',
    params: [{ from: settler, data: writeRuns(entries) }, 'latest'],
    parse: (result) => readRuns(bytesFrom(result, 'runs'), asked.length),
    // A node that will not run so much at once says nothing of any of them: each is estimated.
    meaning: (error) =>
      estimateProblemOf(error) === undefined ? undefined : asked.map(() => 'failed'),
    isUnique: true,
  }
}
