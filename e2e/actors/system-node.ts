import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'

const PINNED_MAJOR = 26

/** A Node on this machine that is not the pinned one, as a newcomer's is; undefined where there is none. */
export function systemNode(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !folder.includes('node_modules'))
    .map((folder) => join(folder, 'node'))
    .find((path) => {
      const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
      return status === 0 && Number(/^v(\d+)\./.exec(stdout)?.[1]) !== PINNED_MAJOR
    })
}
