import type { Clock } from '../../kernel/clock.ts'
import { openTurns } from '../../kernel/turns.ts'
import { NodeFailure } from '../chain.ts'
import { AnswerTooLong, inShorterAnswers } from './answer-too-long.ts'
import { NodeTimeout } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import type { NodeAnswer, NodeCall } from './messages.ts'
import type { NodeHealth } from './node-health.ts'
import { judgeRound, takerOf } from './waiting-read.ts'
import type { Read, Round, Taker, WaitingRead } from './waiting-read.ts'

export type { Read } from './waiting-read.ts'

/** The way to a network's nodes. */
export interface Transport {
  /**
   * Asks for a value. Reads of one tick share one HTTP round trip, and equal ones among them one call; while others are under way, so do
   * those of a moment. A batch with a read that
   * fails is asked whole of the next node, so that what is read together is never put together from two nodes; a lone node is
   * asked once more for what it failed at. A read that is `apart` shares nothing with the others. Throws NodeFailure when that does
   * not help.
   */
  read<Value>(read: Read<Value>): Promise<Value>
  /**
   * A read that is made when the batch is put together to which it would belong if it were asked now, and is its last. For what others may still
   * add to until then, and should be answered by the node that answers them: where more wait than a batch holds, that may be another one.
   */
  readLast<Value>(make: () => Read<Value>): Promise<Value>
  /** Says the calls to every node, in order, once: per node one answer for each call. Never throws for a node. */
  tellAll(calls: readonly NodeCall[]): Promise<readonly NodeAnswers[]>
  /** The same, without waiting for the slowest: a promise per node, none of which rejects. */
  tellEach(calls: readonly NodeCall[]): readonly Promise<NodeAnswers>[]
}

/** One node's answers, in the order of the calls. */
export type NodeAnswers = readonly (NodeAnswer | NodeFailure)[]

/** One call that ended, for metrics. Errors are the node's; failures mean that no usable answer came. */
export interface CallEnd {
  readonly method: string
  readonly node: number
  readonly end: 'result' | 'error' | 'failure'
  /** Of the HTTP round trip that carried it, alone or in a batch. */
  readonly milliseconds: number
}

export interface TransportOptions {
  readonly endpoints: readonly Endpoint[]
  readonly onCall: (end: CallEnd) => void
  readonly clock: Clock
  /** Which nodes do well. */
  readonly health: NodeHealth
  /** How to ask a node for its height; left out, heights are not compared. */
  readonly height?: { readonly call: NodeCall; readonly parse: (result: unknown) => bigint }
  readonly limits: {
    /** Calls in one HTTP request. */
    readonly nodeBatchCallsMax: number
    /** HTTP requests under way at once; what comes later waits and shares bigger batches. */
    readonly nodeRequestsMax: number
    /** Reads that may wait for their turn; one more is a NodeFailure. */
    readonly nodeReadsMax: number
    /** Reads `apart` under way at once. */
    readonly nodeApartMax: number
    /** Of these, how many may wait for their turn; one more is a NodeFailure. */
    readonly nodeApartWaitingMax: number
    /** Requests of `tellAll` under way at once to one node; one more is a NodeFailure for it. */
    readonly nodeTellsMax: number
  }
}

/** How a node is asked: for what says nothing of how well it does, and in parts where the whole is too long. */
interface Asking {
  readonly isApart?: boolean
  readonly inParts?: boolean
}

/**
 * With so many requests under way, reads wait a moment, or until one of those ends, and share the next: callers who came one by one once sent
 * 25 requests of 7 calls for a wave of 64, of which 5 were the same in all.
 */
const GATHER = { fromRequests: 2, milliseconds: 5 } as const
/** Without a reason an error would be made for every gathering. */
const GATHERED = 'they are sent'
const FULL = 'too many reads wait for the node'

/** Opens the way to a network's nodes; at least one endpoint. */
export function openTransport(options: TransportOptions): Transport {
  const { endpoints, onCall, clock, health, limits } = options
  const inParts = endpoints.map(inShorterAnswers)
  const waiting = new Map<string, { readonly call: NodeCall; readonly takers: Taker[] }>()
  const tells = endpoints.map(() => 0)
  const inApartTurn = openTurns(limits.nodeApartMax)
  let apart = 0
  let requests = 0
  let uniques = 0
  let scheduled = false
  let gathering: AbortController | undefined
  let last: (() => void)[] = []

  function read<Value>(asked: Read<Value>): Promise<Value> {
    if (asked.apart === true) return readApart(asked)
    const { method, params } = asked
    return new Promise((resolve, reject) => {
      const key = asked.isUnique === true ? `${(uniques += 1)}` : JSON.stringify([method, params])
      const group = waiting.get(key) ?? { call: { method, params }, takers: [] }
      if (group.takers.length === 0 && isFull()) {
        reject(new NodeFailure(FULL))
        return
      }
      waiting.set(key, group)
      group.takers.push(takerOf(asked, resolve, reject))
      if (asked.hasGathered === true) schedule()
      else gather()
    })
  }

  /** What is made last has its place from when it is asked for: others that are sent then count on its answer. */
  function isFull(): boolean {
    return waiting.size + last.length >= limits.nodeReadsMax
  }

  function readLast<Value>(make: () => Read<Value>): Promise<Value> {
    const ask = async () => read(make())
    return new Promise((resolve, reject) => {
      if (isFull()) {
        reject(new NodeFailure(FULL))
        return
      }
      last.push(() => void ask().then(resolve, reject))
      gather()
    })
  }

  async function readApart<Value>(asked: Read<Value>): Promise<Value> {
    if (apart >= limits.nodeApartMax + limits.nodeApartWaitingMax) {
      throw new NodeFailure('too many reads apart wait for the node')
    }
    apart += 1
    const { method, params } = asked
    const taken = Promise.withResolvers<Value>()
    const takers = [takerOf(asked, taken.resolve, taken.reject)]
    const read = { call: { method, params }, takers }
    try {
      const [value] = await Promise.all([taken.promise, inApartTurn(() => deliver([read], true))])
      return value
    } finally {
      apart -= 1
    }
  }

  /** Nothing is gained by waiting for more than a batch holds. */
  function gather(): void {
    if (requests < GATHER.fromRequests || waiting.size >= limits.nodeBatchCallsMax) schedule()
    if (scheduled || gathering !== undefined) return
    gathering = new AbortController()
    void clock.sleep(GATHER.milliseconds, gathering.signal).then(() => {
      gathering = undefined
      schedule()
    })
  }

  function schedule(): void {
    const isNothing = waiting.size === 0 && last.length === 0
    if (scheduled || isNothing || requests >= limits.nodeRequestsMax) return
    scheduled = true
    // The end of this tick, so that reads of many requests meet in one batch.
    setImmediate(send)
  }

  function send(): void {
    const making = last
    last = []
    for (const make of making) make()
    scheduled = false
    gathering?.abort(GATHERED)
    while (waiting.size > 0 && requests < limits.nodeRequestsMax) {
      const groups = [...waiting.entries()].slice(0, limits.nodeBatchCallsMax)
      for (const [key] of groups) waiting.delete(key)
      requests += 1
      void deliver(groups.map(([, group]) => group)).finally(() => {
        requests -= 1
        schedule()
      })
    }
  }

  /** Asks until everybody is served; never rejects. */
  async function deliver(reads: readonly WaitingRead[], isApart = false): Promise<void> {
    try {
      if (!isApart) compareHeights()
      await (endpoints.length === 1 ? askAgain(reads, isApart) : askNodeAfterNode(reads, isApart))
    } catch (error) {
      for (const { takers } of reads) for (const { fail } of takers) fail(error)
    }
  }

  /** A lone node is asked twice: some errors last for one block only. */
  async function askAgain(reads: readonly WaitingRead[], isApart: boolean): Promise<void> {
    const first = await ask(0, reads, { isApart, inParts: true })
    // What a caller, or a block, made too large to answer is too large the second time, too.
    const isHopeless = (isApart && first.refusals === undefined) || first.isTooLong
    if (first.unserved === 0 || first.failure instanceof NodeTimeout || isHopeless) {
      first.handOver()
      return
    }
    first.handOverServed()
    const second = await ask(0, first.left, { isApart, inParts: true })
    second.handOver()
  }

  /**
   * The whole batch of one node after the other, until one serves all of it; else what the best of them gave. Those that answer at too great length
   * are asked for it in parts only when nobody does better: that is up to twice as many answers as calls, each of them too long.
   */
  async function askNodeAfterNode(reads: readonly WaitingRead[], isApart: boolean): Promise<void> {
    const nodes = health.order()
    const whole = await askEach(nodes, reads, { isApart, inParts: false })
    const long = whole.filter(({ hasTooLong }) => hasTooLong).map(({ node }) => node)
    const isServed = whole.some(({ unserved }) => unserved === 0)
    const parted =
      isServed || long.length === 0 || reads.length < 2
        ? []
        : await askEach(long, reads, { isApart, inParts: true })
    const [best] = [...parted, ...whole].toSorted((a, b) => a.unserved - b.unserved)
    if (best === undefined) throw new NodeFailure('no node is configured')
    best.handOver()
  }

  async function askEach(
    nodes: readonly number[],
    reads: readonly WaitingRead[],
    how: Asking,
  ): Promise<readonly Round[]> {
    const rounds: Round[] = []
    for (const node of nodes) {
      const round = await ask(node, reads, how)
      const alike =
        round.refusals !== undefined && rounds.some((each) => each.refusals === round.refusals)
      rounds.push(round)
      if (round.unserved === 0) {
        // What one node did the others could have done.
        for (const { node: poor, failure } of rounds.slice(0, -1)) {
          if (how.isApart !== true) health.failed(poor, failure?.message ?? 'it did not answer')
        }
        break
      }
      // Two nodes say the same no: it is about the read, and a third would only cost time.
      if (alike) break
    }
    return rounds
  }

  async function ask(node: number, reads: readonly WaitingRead[], how: Asking): Promise<Round> {
    const calls = reads.map(({ call }) => call)
    const answers = await answersOf(node, calls, how)
    return judgeRound(node, reads, answers)
  }

  /** Beside the reads that are under way, so that nobody waits for it. */
  function compareHeights(): void {
    const { height } = options
    if (height === undefined) return
    const nodes = health.dueForLook()
    if (nodes.length === 0) return
    const heightOf = async (node: number): Promise<readonly [number, bigint][]> => {
      try {
        const [answer] = await answersOf(node, [height.call])
        if (answer === undefined || answer instanceof NodeFailure) return []
        if (answer.ok) return [[node, height.parse(answer.result)]]
        health.failed(node, `it refused ${height.call.method}`)
      } catch (error) {
        // Nobody waits for this; a node that cannot be understood is not read.
        health.failed(node, error instanceof Error ? error.message : String(error))
      }
      return []
    }
    void Promise.all(nodes.map(heightOf)).then((seen) => health.seen(new Map(seen.flat())))
  }

  /** One request to one node, or those that its parts take; a request that failed is a failure of each of its calls. */
  async function answersOf(
    node: number,
    calls: readonly NodeCall[],
    how: Asking = {},
  ): Promise<NodeAnswers> {
    const endpoint = (how.inParts === true ? inParts : endpoints)[node]
    if (endpoint === undefined) throw new RangeError('there is no such node')
    const startedMilliseconds = clock.nowMilliseconds()
    const answers: NodeAnswers = await endpoint.post(calls).catch((error: unknown) => {
      if (error instanceof NodeFailure) return calls.map(() => error)
      throw error
    })
    const milliseconds = clock.nowMilliseconds() - startedMilliseconds
    const failure = answers.find((answer): answer is NodeFailure => answer instanceof NodeFailure)
    const isWhole = answers.length > 0 && answers.every((answer) => answer === failure)
    if (how.isApart !== true) {
      const isTooLong = failure instanceof AnswerTooLong
      if (isWhole && !isTooLong) health.failed(node, failure?.message ?? 'it did not answer')
      else health.answered(node, milliseconds)
    }
    calls.forEach(({ method }, index) => {
      const answer = answers[index]
      const end = answer instanceof NodeFailure || answer === undefined ? 'failure' : endOf(answer)
      onCall({ method, node, end, milliseconds })
    })
    return answers
  }

  function tellEach(calls: readonly NodeCall[]): readonly Promise<NodeAnswers>[] {
    return endpoints.map((_, node) => tell(node, calls))
  }

  async function tell(node: number, calls: readonly NodeCall[]): Promise<NodeAnswers> {
    const answers: (NodeAnswer | NodeFailure)[] = []
    for (let from = 0; from < calls.length; from += limits.nodeBatchCallsMax) {
      const some = calls.slice(from, from + limits.nodeBatchCallsMax)
      answers.push(...(await tellSome(node, some)))
    }
    return answers
  }

  /** A node that hangs is not given more and more to hang at: what it missed is sent again later. */
  async function tellSome(node: number, calls: readonly NodeCall[]): Promise<NodeAnswers> {
    const underWay = tells[node] ?? 0
    if (underWay >= limits.nodeTellsMax) {
      const full = new NodeFailure('the node has too many sends under way')
      return calls.map(() => full)
    }
    tells[node] = underWay + 1
    try {
      return await answersOf(node, calls)
    } finally {
      tells[node] = (tells[node] ?? 1) - 1
    }
  }

  return { read, readLast, tellEach, tellAll: (calls) => Promise.all(tellEach(calls)) }
}

function endOf(answer: NodeAnswer): CallEnd['end'] {
  return answer.ok ? 'result' : 'error'
}
