import { limits } from '../limits.ts'

/** An answer in small parts may take so many times the memory of its bytes. */
const WEIGHT_MAX = 4

/** Counts the parts of an answer that is held back, by their length; true from the part on with which it is more than is held. */
export function openBound(lengthMax: number = limits.paywallHeldBytesMax) {
  let length = 0
  /** What the parts take of memory. */
  let weight = 0
  return (partLength: number): boolean => {
    length += partLength
    weight += partLength + limits.paywallHeldPartBytes
    return length > lengthMax || weight > lengthMax * WEIGHT_MAX
  }
}
