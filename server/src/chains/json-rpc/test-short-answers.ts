import { postText } from './post-text.ts'
import type { PostText } from './post-text.ts'

/** A client for nodes that reads no longer answers than that, and how long the longest was that it read. */
export function shortAnswers(responseBytesMax: number): {
  readonly post: PostText
  readonly longest: () => number
} {
  let longest = 0
  return {
    longest: () => longest,
    post: (posting) => {
      const underWay = postText({ ...posting, responseBytesMax })
      void underWay.answer.then(
        ({ text }) => (longest = Math.max(longest, text.length)),
        () => undefined,
      )
      return underWay
    },
  }
}
