import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { RunAs } from './run-as.ts'

const OWNER_SEARCH = 0o100
const GROUP_SEARCH = 0o010
const OTHERS_SEARCH = 0o001

/** Whether the user can reach a directory: every one on the way down is searchable for it. */
export async function isOpenTo(path: string, { uid, gid }: RunAs): Promise<boolean> {
  for (let current = path; ; current = dirname(current)) {
    const facts = await stat(current)
    const needed =
      facts.uid === uid ? OWNER_SEARCH : facts.gid === gid ? GROUP_SEARCH : OTHERS_SEARCH
    if ((facts.mode & needed) === 0) return false
    if (current === dirname(current)) return true
  }
}
