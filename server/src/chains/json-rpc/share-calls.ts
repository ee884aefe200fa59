import type { Clock } from '../../kernel/clock.ts'
import { NodeFailure } from '../chain.ts'
import { NodeTimeout } from './endpoint.ts'

/** Calls under way at once. What is asked meanwhile waits and shares the next: one slow call holds nobody up. */
const CALLS_MAX = 2
/** Between the beginnings of two calls: what is asked meanwhile shares the second. Who asks alone never waits for it. */
const PAUSE_MILLISECONDS = 5
/** Askers that may wait for their turn. */
const WAITING_MAX = 10_000

export interface SharedCalls<Asked, Answer> {
  readonly clock: Pick<Clock, 'sleep'>
  /** How much of a call a question takes, and how much there is; a question alone may take more. */
  readonly sizeOf: (asked: Asked) => number
  readonly callSizeMax: number
  /** Calls under way at once; left out, two. */
  readonly callsMax?: number
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
  ask,
}: SharedCalls<Asked, Answer>): (asked: Asked) => Promise<Answer> {
  const waiting: Asker<Asked, Answer>[] = []
  let calls = 0
  let scheduled = false
  let isPausing = false

  function flush(): void {
    scheduled = false
    if (waiting.length === 0 || calls >= callsMax || isPausing) return
    calls += 1
    isPausing = true
    void clock.sleep(PAUSE_MILLISECONDS).then(() => {
      isPausing = false
      flush()
    })
    // Each asker is told, and nothing else depends on it.
    void serve(takeSome()).finally(() => {
      calls -= 1
      flush()
    })
  }

  function takeSome(): readonly Asker<Asked, Answer>[] {
    let size = 0
    let count = 0
    for (const { asked } of waiting) {
      if (count > 0 && size + sizeOf(asked) > callSizeMax) break
      size += sizeOf(asked)
      count += 1
    }
    return waiting.splice(0, count)
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
