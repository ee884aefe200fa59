import { setTimeout as delay } from 'node:timers/promises'
import type { Reply } from '../actors/client.ts'
import { mayBeRepeated } from '../actors/payers.ts'

/** A want that is asked again this long without a definite answer is a failure of its own. */
const ANSWER_SECONDS = 240
/** Longer than any answer may take. */
const REPLY_SECONDS = 80
const BACK_OFF_MILLISECONDS = { least: 20, most: 500 } as const
/** What is remembered of the replies to one want: the newest. */
const HEARD_MAX = 30

export type WantKind = 'settle' | 'trade' | 'build' | 'purchase'

/** One thing that somebody wants of the service, written down before anybody else hears of it. */
export interface Want {
  readonly kind: WantKind
  /** Its idempotency key, where the call takes one. */
  readonly key: string
  /** `done`: a success was told. `paid`: so it was, and what was paid for was lost on its way. `refused`: a definite no. */
  end: 'open' | 'done' | 'paid' | 'refused'
  tries: number
  /** The id that the success named. */
  id: string | undefined
  readonly heard: string[]
}

/** `again`: nothing is known yet. A text: what must never be answered. */
export type Verdict = 'done' | 'paid' | 'refused' | 'again' | { readonly never: string }

/** What is wanted, and what must never have happened. */
export interface Wants {
  readonly all: readonly Want[]
  readonly broken: readonly string[]
  add(kind: WantKind, key: string): Want
  break(want: Want | null, what: string): void
}

export function openWants(): Wants {
  const all: Want[] = []
  const broken: string[] = []
  return {
    all,
    broken,
    add: (kind, key) => {
      const want: Want = { kind, key, end: 'open', tries: 0, id: undefined, heard: [] }
      all.push(want)
      return want
    },
    break: (want, what) => {
      const story =
        want === null ? [] : [JSON.stringify({ ...want, heard: undefined }), ...want.heard]
      broken.push([what, ...story].join('\n    '))
    },
  }
}

/** Asks the same until the answer is definite; gives that, or undefined where there was none in time, which is noted as broken. */
export async function insist(
  wants: Wants,
  want: Want,
  ask: (signal: AbortSignal) => Promise<Reply>,
  judge: (reply: Reply) => Verdict,
): Promise<Reply | undefined> {
  const deadline = performance.now() + ANSWER_SECONDS * 1000
  let pause: number = BACK_OFF_MILLISECONDS.least
  while (performance.now() < deadline) {
    want.tries += 1
    const askedAt = performance.now()
    const reply = await ask(AbortSignal.timeout(REPLY_SECONDS * 1000)).catch((error: unknown) => {
      hear(want, askedAt, String(error))
      return undefined
    })
    if (reply !== undefined) {
      hear(want, askedAt, `${reply.status} ${JSON.stringify(reply.body).slice(0, 400)}`)
      const verdict = judge(reply)
      if (typeof verdict === 'object') {
        wants.break(want, verdict.never)
        return undefined
      }
      if (verdict !== 'again') {
        want.end = verdict
        return reply
      }
    }
    await delay(pause)
    pause = Math.min(pause * 2, BACK_OFF_MILLISECONDS.most)
  }
  wants.break(want, `no definite answer within ${ANSWER_SECONDS} s`)
  return undefined
}

function hear({ heard, tries }: Want, askedAt: number, what: string): void {
  if (heard.length >= HEARD_MAX) heard.shift()
  heard.push(`try ${tries}, after ${Math.round(performance.now() - askedAt)} ms: ${what}`)
}

/** Answers that leave it open, or say that nothing was stored; also that there are too many at once. */
export function isOpen(reply: Reply): boolean {
  return reply.status === 429 || mayBeRepeated(reply)
}
