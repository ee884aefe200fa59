/** What kind of door of the outside world a step goes through. */
export type StepKind = 'begin' | 'query' | 'commit' | 'rollback' | 'node' | 'key' | 'timer' | 'wake'

/** One call of the service to the outside world that waits for its turn. Everything between two steps is memory only. */
export interface Step {
  /** In the order in which they were asked for. */
  readonly number: number
  /** Which life of which instance asked. */
  readonly actor: string
  readonly kind: StepKind
  readonly label: string
  /** Whether the world may let it fail, before or after its effect. */
  readonly canFail: boolean
  /** How much hangs on it: the statements of a transaction that it commits, or what a broadcast is worth. */
  readonly weight: number
}

/** `done`: it happens and is answered. `refused`: it does not happen and fails. `lost`: it happens and fails. */
export type Fate = 'done' | 'refused' | 'lost'

interface Ask<T> {
  readonly actor: string
  readonly kind: StepKind
  readonly label: string
  readonly effect: () => T | Promise<T>
  readonly weight?: number
  /** What the caller gets when it fails; steps without it never do. */
  readonly failure?: (fate: 'refused' | 'lost') => Error | Promise<Error>
  /** World time before which it cannot be taken. */
  readonly notBefore?: number
  /** Whether it could be taken now, for what waits for something else than its turn. */
  readonly isPossible?: () => boolean
  /** Takes it off the list and answers it at once when it aborts. */
  readonly signal?: AbortSignal | undefined
}

interface Entry extends Step {
  readonly notBefore: number
  readonly isPossible: () => boolean
  readonly perform: (fate: Fate) => Promise<void>
  /** Hands the result over to who asked; nothing is handed over to a dead actor. */
  readonly deliver: () => void
}

/**
 * The one place where anything happens: the service's calls wait here, the world picks one at a time. Between two steps all code
 * of the service has run as far as it can, so the order of steps is the whole schedule and a seed repeats it.
 */
export interface Steps {
  ask<T>(ask: Ask<T>): Promise<T>
  /** Those that can be taken now, oldest first. */
  ready(nowMilliseconds: number): readonly Step[]
  /** When the next sleeping step can be taken. */
  nextDue(): number | undefined
  perform(step: Step, fate: Fate): Promise<void>
  /** The actor is no more: nothing it waits for happens, but for one step whose effect it did not live to see. */
  forget(actor: string, last?: Step): Promise<void>
  /** Runs on until every piece of code waits for a step. */
  quiet(): Promise<void>
  /** Lets something real happen that may release locks: afterwards whoever waited for them has been answered. */
  release(effect: () => Promise<void>): Promise<void>
  /** How many statements wait for a lock in the database. */
  blocked(): number
  /** How many were ever asked for. */
  count(): number
}

const PATIENCE_MILLISECONDS = 1
/** After these, statements that wait for a lock may go on. */
const RELEASES: ReadonlySet<StepKind> = new Set(['commit', 'rollback'])

export function openSteps({
  waitingForLocks,
  canWait,
}: {
  /** How many statements wait for a lock of another transaction. */
  waitingForLocks(): Promise<number>
  /** Whether there is another transaction to wait for. */
  canWait(): boolean
}): Steps {
  let waiting: Entry[] = []
  const dead = new Set<string>()
  const underWay = new Map<Entry, Promise<void>>()
  const finished: Entry[] = []
  let count = 0

  function ask<T>({
    effect,
    failure,
    signal,
    notBefore = 0,
    isPossible = () => true,
    weight = 1,
    ...facts
  }: Ask<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let deliver = (): void => undefined
      const entry: Entry = {
        ...facts,
        number: (count += 1),
        weight,
        canFail: failure !== undefined,
        notBefore,
        isPossible,
        perform: async (fate) => {
          try {
            const value = fate === 'refused' ? undefined : await effect()
            if (fate === 'done') {
              deliver = () => resolve(value as T)
            } else {
              const error = (await failure?.(fate)) ?? new Error('this step cannot fail')
              deliver = () => reject(error)
            }
          } catch (error) {
            deliver = () => reject(error)
          }
        },
        deliver: () => deliver(),
      }
      if (signal?.aborted === true) {
        resolve(undefined as T)
        return
      }
      if (dead.has(facts.actor)) return
      waiting.push(entry)
      signal?.addEventListener('abort', () => {
        if (!waiting.includes(entry)) return
        waiting = waiting.filter((other) => other !== entry)
        resolve(undefined as T)
      })
    })
  }

  /** Micro tasks are all that the service's code needs between two steps. */
  const quiet = () => new Promise<void>((resolve) => setImmediate(resolve))

  /** Until every statement under way, but those that waited before, has been answered or provably waits for a lock. */
  async function standstill(waitedBefore: number): Promise<void> {
    while (underWay.size > waitedBefore) {
      if (!canWait()) {
        await Promise.all(underWay.values())
        break
      }
      const before = underWay.size
      let pause: NodeJS.Timeout | undefined
      await Promise.race([
        ...underWay.values(),
        new Promise((resolve) => {
          pause = setTimeout(resolve, PATIENCE_MILLISECONDS)
        }),
      ])
      clearTimeout(pause)
      if (underWay.size === before && (await waitingForLocks()) === underWay.size) break
    }
    // Answers that came together are handed over in the order in which they were asked for.
    for (const entry of finished.splice(0).sort((one, other) => one.number - other.number)) {
      if (!dead.has(entry.actor)) entry.deliver()
      await quiet()
    }
  }

  function start(entry: Entry, fate: Fate): void {
    const running = entry.perform(fate).then(() => {
      underWay.delete(entry)
      finished.push(entry)
    })
    underWay.set(entry, running)
  }

  async function perform(step: Step, fate: Fate): Promise<void> {
    const entry = waiting.find((candidate) => candidate === step)
    if (entry === undefined) throw new Error('this step does not wait')
    waiting = waiting.filter((other) => other !== entry)
    const before = underWay.size
    start(entry, fate)
    await standstill(RELEASES.has(entry.kind) ? 0 : before)
  }

  return {
    ask,
    quiet,
    ready: (now) => waiting.filter(({ notBefore, isPossible }) => notBefore <= now && isPossible()),
    nextDue: () =>
      waiting.reduce<number | undefined>(
        (least, { notBefore }) =>
          notBefore > 0 && (least === undefined || notBefore < least) ? notBefore : least,
        undefined,
      ),
    perform,
    forget: async (actor, last) => {
      dead.add(actor)
      if (last !== undefined) await perform(last, 'done')
      waiting = waiting.filter((entry) => entry.actor !== actor)
    },
    release: async (effect) => {
      await effect()
      await standstill(0)
    },
    blocked: () => underWay.size,
    count: () => count,
  }
}
