import { join } from 'node:path'

/** What is where in a data directory. */
export interface DataPaths {
  /** The data directory itself. */
  readonly directory: string
  /** Held by the one running `up`; the system releases it with the process. */
  readonly lock: string
  /** Who holds the lock, for people and for `up`. */
  readonly owner: string
  /** Processes to end when the one that started them was killed. */
  readonly children: string
  /** How to reach the running database; mode 0600. */
  readonly database: string
  /** Everything a newcomer needs, once `up` is ready; mode 0600. */
  readonly sandboxFile: string
  /** sandbox.json of the run before this one: its keys are used again. */
  readonly earlierSandboxFile: string
  /** Where the sandbox's fault switches are, when it has them. */
  readonly faults: string
  readonly postgres: string
  readonly sandbox: string
}

export function dataPaths(directory: string): DataPaths {
  return {
    directory,
    lock: join(directory, 'lock'),
    owner: join(directory, 'owner.json'),
    children: join(directory, 'children.json'),
    database: join(directory, 'database.json'),
    sandboxFile: join(directory, 'sandbox.json'),
    earlierSandboxFile: join(directory, 'sandbox.earlier.json'),
    faults: join(directory, 'faults.json'),
    postgres: join(directory, 'postgres'),
    sandbox: join(directory, 'sandbox'),
  }
}
