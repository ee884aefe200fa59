const SLOW_MILLISECONDS = 1_000

/** Says what `up` is doing, once it takes longer than a person expects. */
export interface Progress {
  say(text: string): void
  step<T>(name: string, work: () => Promise<T>): Promise<T>
}

export function openProgress(write: (text: string) => void): Progress {
  const say = (text: string) => write(`${text}\n`)
  return {
    say,
    step: async (name, work) => {
      const start = performance.now()
      let told = false
      const timer = setTimeout(() => {
        told = true
        say(`${name} ...`)
      }, SLOW_MILLISECONDS)
      try {
        const result = await work()
        const seconds = ((performance.now() - start) / 1000).toFixed(1)
        if (told) say(`${name}: done after ${seconds} s`)
        return result
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
