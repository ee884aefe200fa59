import type { Clock } from '../../kernel/clock.ts'
import { NodeFailure } from '../chain.ts'
import { NodeTimeout } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import type { NodeAnswer, NodeCall, NodeError } from './messages.ts'

/** A read: how to ask, and what the answer means. */
export interface Read<Value> extends NodeCall {
  /** Parses the result; throws NodeFailure when it is malformed. */
  readonly parse: (result: unknown) => Value
  /** A node's error that is an answer, such as a revert; undefined means that it is only a failure. */
  readonly meaning?: (error: NodeError) => Value | undefined
}

/** The way to a network's nodes. */
export interface Transport {
  /**
   * Asks for a value. Reads of one tick share one HTTP round trip, and equal ones among them one call. A read that
   * fails is asked once more, of the next node when there is one; then it throws NodeFailure.
   */
  read<Value>(read: Read<Value>): Promise<Value>
  /** Says the calls to every node, in order, once: per node one answer for each call. Never throws for a node. */
  tellAll(calls: readonly NodeCall[]): Promise<readonly (readonly (NodeAnswer | NodeFailure)[])[]>
}

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
  readonly limits: {
    /** Calls in one HTTP request. */
    readonly nodeBatchCallsMax: number
    /** HTTP requests under way at once; what comes later waits and shares bigger batches. */
    readonly nodeRequestsMax: number
    /** Reads that may wait for their turn; one more is a NodeFailure. */
    readonly nodeReadsMax: number
  }
}

interface Waiting {
  readonly call: NodeCall
  /** Everybody who asked this. */
  readonly takers: Taker[]
}

interface Taker {
  /** Hands the answer over, or says why it serves nobody. */
  take(answer: NodeAnswer): NodeFailure | undefined
  fail(error: unknown): void
}

/** Opens the way to a network's nodes; at least one endpoint. */
export function openTransport({ endpoints, onCall, clock, limits }: TransportOptions): Transport {
  const waiting = new Map<string, Waiting>()
  let requests = 0
  let scheduled = false
  /** The node that answered last: a node that is down is not asked first every time. */
  let preferred = 0

  function read<Value>({ method, params, parse, meaning }: Read<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const key = JSON.stringify([method, params])
      const group = waiting.get(key) ?? { call: { method, params }, takers: [] }
      if (group.takers.length === 0 && waiting.size >= limits.nodeReadsMax) {
        reject(new NodeFailure('too many reads wait for the node'))
        return
      }
      waiting.set(key, group)
      const taker: Taker = {
        fail: reject,
        take: (answer) => {
          try {
            if (answer.ok) {
              resolve(parse(answer.result))
              return undefined
            }
            const value = meaning?.(answer.error)
            if (value === undefined) return refused(method, answer.error)
            resolve(value)
            return undefined
          } catch (error) {
            if (error instanceof NodeFailure) return error
            taker.fail(error)
            return undefined
          }
        },
      }
      group.takers.push(taker)
      schedule()
    })
  }

  function schedule(): void {
    if (scheduled || waiting.size === 0 || requests >= limits.nodeRequestsMax) return
    scheduled = true
    // The end of this tick, so that reads of many requests meet in one batch.
    setImmediate(() => {
      scheduled = false
      while (waiting.size > 0 && requests < limits.nodeRequestsMax) {
        const groups = [...waiting.entries()].slice(0, limits.nodeBatchCallsMax)
        for (const [key] of groups) waiting.delete(key)
        requests += 1
        void deliver(groups.map(([, group]) => group)).finally(() => {
          requests -= 1
          schedule()
        })
      }
    })
  }

  /** Asks node after node until every group is served; never rejects. */
  async function deliver(groups: readonly Waiting[]): Promise<void> {
    let open = groups
    let failure: unknown = new NodeFailure('no node is configured')
    try {
      for (const node of turns()) {
        const round = await ask(node, open)
        open = round.open
        if (open.length === 0) {
          preferred = node
          return
        }
        failure = round.failure ?? failure
        if (failure instanceof NodeTimeout && endpoints.length === 1) break
      }
    } catch (error) {
      failure = error
    }
    for (const { takers } of open) for (const { fail } of takers) fail(failure)
  }

  /** Each node once, the one that works first. A lone node is asked twice: some errors last for one block only. */
  function turns(): readonly number[] {
    if (endpoints.length === 1) return [0, 0]
    return endpoints.map((_, offset) => (preferred + offset) % endpoints.length)
  }

  async function ask(
    node: number,
    groups: readonly Waiting[],
  ): Promise<{ open: readonly Waiting[]; failure?: NodeFailure }> {
    const calls = groups.map(({ call }) => call)
    const answers = await answersOf(node, calls)
    const open: Waiting[] = []
    let failure: NodeFailure | undefined
    groups.forEach((group, index) => {
      const answer = answers[index] ?? new NodeFailure('a call without an answer')
      if (answer instanceof NodeFailure) {
        failure = answer
        open.push(group)
        return
      }
      const takers = group.takers.filter((taker) => {
        const problem = taker.take(answer)
        failure = problem ?? failure
        return problem !== undefined
      })
      if (takers.length > 0) open.push({ call: group.call, takers })
    })
    return failure === undefined ? { open } : { open, failure }
  }

  /** One request to one node; a request that failed is a failure of each of its calls. */
  async function answersOf(
    node: number,
    calls: readonly NodeCall[],
  ): Promise<readonly (NodeAnswer | NodeFailure)[]> {
    const endpoint = endpoints[node]
    if (endpoint === undefined) throw new RangeError('there is no such node')
    const startedMilliseconds = clock.nowMilliseconds()
    const answers = await endpoint.post(calls).catch((error: unknown) => {
      if (error instanceof NodeFailure) return calls.map(() => error)
      throw error
    })
    const milliseconds = clock.nowMilliseconds() - startedMilliseconds
    calls.forEach(({ method }, index) => {
      const answer = answers[index]
      const end = answer instanceof NodeFailure || answer === undefined ? 'failure' : endOf(answer)
      onCall({ method, node, end, milliseconds })
    })
    return answers
  }

  async function tellAll(
    calls: readonly NodeCall[],
  ): Promise<readonly (readonly (NodeAnswer | NodeFailure)[])[]> {
    return Promise.all(endpoints.map((_, node) => tell(node, calls)))
  }

  async function tell(
    node: number,
    calls: readonly NodeCall[],
  ): Promise<readonly (NodeAnswer | NodeFailure)[]> {
    const answers: (NodeAnswer | NodeFailure)[] = []
    for (let from = 0; from < calls.length; from += limits.nodeBatchCallsMax) {
      answers.push(...(await answersOf(node, calls.slice(from, from + limits.nodeBatchCallsMax))))
    }
    return answers
  }

  return { read, tellAll }
}

function endOf(answer: NodeAnswer): CallEnd['end'] {
  return answer.ok ? 'result' : 'error'
}

function refused(method: string, error: NodeError): NodeFailure {
  return new NodeFailure(`the node refused ${method}: ${error.code} ${error.message}`)
}
