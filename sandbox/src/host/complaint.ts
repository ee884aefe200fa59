/** Something a person can act on: one sentence, printed without a stack, then the process ends with 1. */
export class Complaint extends Error {
  override readonly name = 'Complaint'
}
