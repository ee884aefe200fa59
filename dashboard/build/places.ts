import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from './source-tag.ts'

/** Beside the packages: who can write there could change what runs anyway, and a copy of the installation takes it along. */
export const INSTALLED = join(ROOT, 'node_modules', '.cache', 'florin', 'dashboard')

/** The file in the folder of a build that tells what is in it; written last. */
export const LIST = 'files.json'

/** The first of these folders that can be written to, made if need be; undefined when none can. */
export async function writablePlace(places: readonly string[]): Promise<string | undefined> {
  for (const place of places) {
    try {
      await mkdir(place, { recursive: true })
      await access(place, constants.W_OK | constants.X_OK)
      return place
    } catch {
      // An installation that only root can write to: the next place is the data directory.
    }
  }
  return undefined
}

/** Whether there is a finished build of these sources. */
export async function isBuilt(places: readonly string[], tag: string): Promise<boolean> {
  for (const place of places) {
    const found = await access(join(place, tag, LIST)).then(
      () => true,
      () => false,
    )
    if (found) return true
  }
  return false
}
