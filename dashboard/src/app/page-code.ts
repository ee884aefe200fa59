import { noAnswer } from '../api/api-error.ts'

/**
 * The way to a page's code, which says when nobody answers. What the router is told of as missing code it takes for a service that was
 * exchanged, and loads the whole document anew: right where a service answers, and the end of the dashboard where none does.
 */
export function pageCode<Code>(load: () => Promise<Code>): () => Promise<Code> {
  return async () => {
    try {
      return await load()
    } catch (error) {
      throw (await answers()) ? error : noAnswer()
    }
  }
}

/** Whether anybody answers at the service's address. */
export const answers = (): Promise<boolean> =>
  fetch('/health/live', { cache: 'no-store' }).then(
    () => true,
    () => false,
  )
