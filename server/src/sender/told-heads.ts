import type { Chain, Head } from '../chains/chain.ts'
import { limits } from '../kernel/limits.ts'
import type { Cursor } from './follower-store.ts'

/** What nodes have told of their heads, until it can be said whether these are of the followed chain. */
export interface ToldHeads {
  /** Gives whether it is the head that was told last. One that calls nothing final beyond `final` says nothing that is not known. */
  note(head: Head, final: bigint | undefined): boolean
  /** The hash of the head that was told last. */
  last(): string | undefined
  /** The newest block that was read, where nothing but the answer that told it as the head has shown it; undefined where something has. */
  shown(hash: string | undefined): void
  /**
   * The heads whose block something else has shown, too. A head and what it calls final may come from two nodes, and one of them may hang on a
   * branch that was left behind: then nothing but this answer may know of its block.
   */
  toldTwice(cursor: Pick<Cursor, 'finalizedHeight'>): Promise<readonly Head[]>
}

export function openToldHeads(chain: Pick<Chain, 'blocks'>): ToldHeads {
  /** The newest last. Another node may show a head's block only rounds later. */
  let told: readonly Head[] = []
  let lastHash: string | undefined
  let shownHash: string | undefined
  return {
    last: () => lastHash,
    shown: (hash) => {
      shownHash = hash
    },
    note: (head, final) => {
      const isSame = lastHash === head.hash
      lastHash = head.hash
      if (final !== undefined && head.finalizedHeight <= final) return isSame
      const last = told.at(-1)
      const isNews = last?.hash !== head.hash || last.finalizedHeight > head.finalizedHeight
      told = [...(isNews ? told : told.slice(0, -1)), head].slice(-limits.toldHeadsMax)
      return isSame
    },
    toldTwice: async (cursor) => {
      const shown = told.find(({ hash }) => hash === shownHash)
      if (shown === undefined) return told
      if (shown.finalizedHeight > cursor.finalizedHeight) {
        const [known] = await chain.blocks(shown.height, 1)
        if (known?.hash === shown.hash) {
          shownHash = undefined
          return told
        }
      }
      return told.filter(({ hash }) => hash !== shown.hash)
    },
  }
}
