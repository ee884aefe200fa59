import type { Distortion } from './rpc/method.ts'

/** How reads differ from the truth now. */
export interface Distortions extends Distortion {
  lag(slots: number): void
  /** For so many questions. */
  blind(count: number): void
  clear(): void
}

export function openDistortions(): Distortions {
  let slots = 0
  let questions = 0
  return {
    lagSlots: () => slots,
    hidesTransactions() {
      if (questions <= 0) return false
      questions -= 1
      return true
    },
    lag: (by) => {
      slots = by
    },
    blind: (count) => {
      questions += count
    },
    clear() {
      slots = 0
      questions = 0
    },
  }
}
