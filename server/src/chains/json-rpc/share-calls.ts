import type { Clock } from '../../kernel/clock.ts'
import { NodeFailure } from '../chain.ts'
import { NodeTimeout } from './endpoint.ts'

/** Calls under way at once. What is asked meanwhile waits and shares the next: one slow call holds nobody up. */
const CALLS_MAX = 2
/**
 * Between the beginnings of two calls: what is asked meanwhile shares the second. Who asks alone never waits for it. With 5 ms nearly all of 64
 * callers are in one call, and nothing is worked on while the node answers it: 10 to 15 % fewer verifications a second. Without a pause the second
 * call is one of a few, and it is the same; and calls that begin together are one request to the node, which fails for all of them.
 */
const PAUSE_MILLISECONDS = 1
/** Where two are under way: a fast node has answered one of them by then, and many calls of a few would cost it more. */
const LONG_PAUSE_MILLISECONDS = 5
/** Askers that may wait for their turn. */
const WAITING_MAX = 10_000

export interface SharedCalls<Asked, Answer> {
  readonly clock: Pick<Clock, 'sleep'>
  /** How much of a call a question takes, and how much there is; a question alone may take more. */
  readonly sizeOf: (asked: Asked) => number
  readonly callSizeMax: number
  /** Calls under way at once; left out, two. */
  readonly callsMax?: number
  /** While one is under way, the next begins so long after it at the soonest, unless it is full; left out, after the pause that is between all. */
  readonly apartMilliseconds?: number
  /** Asks for all of them in one call: the answers in the order of the questions. */
  readonly ask: (asked: readonly Asked[]) => Promise<readonly Answer[]>
}

interface Asker<Asked, Answer> {
  readonly asked: Asked
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/** Lets whoever asks at the same moment share calls. A call that fails fails for everybody who shares it, and for nobody else. */
export function shareCalls<Asked, Answer>({
  clock,
  sizeOf,
  callSizeMax,
  callsMax = CALLS_MAX,
  apartMilliseconds = PAUSE_MILLISECONDS,
  ask,
}: SharedCalls<Asked, Answer>): (asked: Asked) => Promise<Answer> {
  const waiting: Asker<Asked, Answer>[] = []
  let calls = 0
  let scheduled = false
  let isPausing = false
  /** The last call began less than `apartMilliseconds` ago. */
  let isSoon = false
  let begun = 0
  /** Calls that began within a long pause. */
  let begunLately = 0

  function flush(): void {
    scheduled = false
    if (waiting.length === 0 || calls >= callsMax || isPausing) return
    const { count, isFull } = fitting()
    // What is full gains nothing by waiting longer.
    if (!isFull && ((calls > 0 && isSoon) || (calls >= CALLS_MAX && begunLately > 0))) return
    calls += 1
    pause()
    // Each asker is told, and nothing else depends on it.
    void serve(waiting.splice(0, count)).finally(() => {
      calls -= 1
      flush()
    })
  }

  function pause(): void {
    isPausing = true
    void clock.sleep(PAUSE_MILLISECONDS).then(() => {
      isPausing = false
      flush()
    })
    if (apartMilliseconds > PAUSE_MILLISECONDS) keepApart()
    if (callsMax <= CALLS_MAX) return
    begunLately += 1
    void clock.sleep(LONG_PAUSE_MILLISECONDS).then(() => {
      begunLately -= 1
      flush()
    })
  }

  function keepApart(): void {
    isSoon = true
    const own = (begun += 1)
    void clock.sleep(apartMilliseconds).then(() => {
      if (own !== begun) return
      isSoon = false
      flush()
    })
  }

  /** How many of those that wait the next call takes, and whether another would not fit in. */
  function fitting(): { readonly count: number; readonly isFull: boolean } {
    let size = 0
    let count = 0
    for (const { asked } of waiting) {
      if (count > 0 && size + sizeOf(asked) > callSizeMax) return { count, isFull: true }
      size += sizeOf(asked)
      count += 1
    }
    return { count, isFull: size >= callSizeMax }
  }

  async function serve(askers: readonly Asker<Asked, Answer>[]): Promise<void> {
    try {
      const answers = await ask(askers.map(({ asked }) => asked))
      if (answers.length !== askers.length) throw new Error('a question without an answer')
      answers.forEach((answer, index) => askers[index]?.resolve(answer))
    } catch (error) {
      for (const { reject } of askers) reject(error)
      // Whoever waits behind a node that hangs would wait for it, too, and the last of many for minutes.
      if (error instanceof NodeTimeout) for (const { reject } of waiting.splice(0)) reject(error)
    }
  }

  return (asked) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= WAITING_MAX) {
        reject(new NodeFailure('too many verifications wait for the node'))
        return
      }
      waiting.push({ asked, resolve, reject })
      if (scheduled) return
      scheduled = true
      // After this turn of the loop: requests that arrived in one packet are asked together.
      setImmediate(flush)
    })
}
