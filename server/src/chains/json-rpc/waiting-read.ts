import { NodeFailure } from '../chain.ts'
import { AnswerTooLong } from './answer-too-long.ts'
import type { NodeAnswer, NodeCall, NodeError } from './messages.ts'

/** A read: how to ask, and what the answer means. */
export interface Read<Value> extends NodeCall {
  /** Parses the result; throws NodeFailure when it is malformed. */
  readonly parse: (result: unknown) => Value
  /** A node's error that is an answer, such as a revert; undefined means that it is only a failure. */
  readonly meaning?: (error: NodeError) => Value | undefined
  /**
   * A caller decides how much work it is: it goes alone and in one of a few places of its own, and says nothing of how well a node
   * does, so that it holds up nobody but its like.
   */
  readonly apart?: true
  /** Nobody else asks for exactly this at the same moment, so it is not compared with what waits: for reads that are large. */
  readonly isUnique?: true
  /** Those who share it have waited for each other already: it goes at the end of its tick, whatever is under way. */
  readonly hasGathered?: true
}

/** What an answer is to somebody who waits for it. Nothing is handed over before `handOver`. */
export type Judged =
  | { readonly ok: true; handOver(): void }
  | {
      readonly ok: false
      readonly failure: NodeFailure
      /** The node's own code when it refused, which another node may do alike; undefined for anything else. */
      readonly refusal: number | undefined
    }

/** Somebody who waits for an answer. */
export interface Taker {
  judge(answer: NodeAnswer | NodeFailure): Judged
  fail(error: unknown): void
}

/** One call, and everybody who asked it. */
export interface WaitingRead {
  readonly call: NodeCall
  readonly takers: readonly Taker[]
}

/** Somebody who waits for the value of a read. */
export function takerOf<Value>(
  { method, parse, meaning }: Read<Value>,
  resolve: (value: Value) => void,
  reject: (error: unknown) => void,
): Taker {
  return {
    fail: reject,
    judge: (answer) => {
      if (answer instanceof NodeFailure) return { ok: false, failure: answer, refusal: undefined }
      try {
        const value = answer.ok ? { is: parse(answer.result) } : named(meaning?.(answer.error))
        if (value !== undefined) return { ok: true, handOver: () => resolve(value.is) }
      } catch (error) {
        if (error instanceof NodeFailure) return { ok: false, failure: error, refusal: undefined }
        // A bug of the parser is no node's fault: no other one is asked for it.
        return { ok: true, handOver: () => reject(error) }
      }
      const { code, message } = answer.ok ? { code: 0, message: '' } : answer.error
      const failure = new NodeFailure(`the node refused ${method}: ${code} ${message}`)
      return { ok: false, failure, refusal: code }
    },
  }
}

function named<Value>(value: Value | undefined): { is: Value } | undefined {
  return value === undefined ? undefined : { is: value }
}

/** What one node's answers to a batch are worth, all of them from that node. */
export interface Round {
  readonly node: number
  /** How many takers it serves not. */
  readonly unserved: number
  /** The last of its failures. */
  readonly failure: NodeFailure | undefined
  /** Which reads it refused and how, as one text; undefined when it failed at something else, too. */
  readonly refusals: string | undefined
  /** Nothing failed but what is too long to be answered. */
  readonly isTooLong: boolean
  /** Some of it is too long to be answered, or all of it together. */
  readonly hasTooLong: boolean
  /** Gives every taker its value, or why it has none. */
  handOver(): void
  /** Those that it serves not. */
  readonly left: readonly WaitingRead[]
  /** Gives the takers that it serves their values, and leaves the others waiting. */
  handOverServed(): void
}

/** Judges one node's answers to a batch, in the order of its reads. */
export function judgeRound(
  node: number,
  reads: readonly WaitingRead[],
  answers: readonly (NodeAnswer | NodeFailure)[],
): Round {
  const judged = reads.flatMap((read, index) => {
    const answer = answers[index] ?? new NodeFailure('a call without an answer')
    return read.takers.map((taker) => ({ index, read, taker, verdict: taker.judge(answer) }))
  })
  const failures = judged.flatMap(({ verdict, ...whose }) =>
    verdict.ok ? [] : [{ ...whose, verdict }],
  )
  const isRefusal = failures.every(({ verdict }) => verdict.refusal !== undefined)
  const handOverServed = (): void => {
    for (const { verdict } of judged) if (verdict.ok) verdict.handOver()
  }
  return {
    node,
    unserved: failures.length,
    failure: failures.at(-1)?.verdict.failure,
    refusals: isRefusal
      ? failures.map(({ index, verdict }) => `${index}:${verdict.refusal}`).join()
      : undefined,
    isTooLong: failures.every(({ verdict }) => verdict.failure instanceof AnswerTooLong),
    hasTooLong: failures.some(({ verdict }) => verdict.failure instanceof AnswerTooLong),
    left: [...Map.groupBy(failures, ({ read }) => read)].map(([{ call }, those]) => ({
      call,
      takers: those.map(({ taker }) => taker),
    })),
    handOverServed,
    handOver: () => {
      handOverServed()
      for (const { taker, verdict } of judged) if (!verdict.ok) taker.fail(verdict.failure)
    },
  }
}
