import type { Admission } from './admission.ts'

/** Lets nothing of an admission out: its payment may be shown again, and the seller hears if it was taken. Never throws. */
export async function turnAway(admission: Admission, reason: string): Promise<void> {
  switch (admission.kind) {
    case 'said':
      return
    case 'metered':
      admission.metered.abandon()
      return
    case 'admitted':
    case 'kept':
      await admission.admitted.ended(reason)
      return
    default:
      admission satisfies never
  }
}
