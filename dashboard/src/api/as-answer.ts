import type { Answer, Operation } from './operation.ts'

/** Page and service are one version of one installation: what it answers fits the contract that the page was built from. */
export function asAnswer<O extends Operation>(answer: object): Answer<O> {
  return answer as Answer<O>
}
