import { identify, identityFrom } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { asFields, readObject, writeObject } from './small-json.ts'

const OWNER_STATES = ['starting', 'ready', 'stopping'] as const
export type OwnerState = (typeof OWNER_STATES)[number]

/** Who runs on a data directory, as that process last said. The lock decides; this file explains. */
export interface Owner extends ProcessIdentity {
  readonly state: OwnerState
  /** Where it answers; null while that is not known yet. */
  readonly baseUrl: string | null
  /** The processes that started it and that it ends with. */
  readonly launchers: readonly ProcessIdentity[]
}

/** Reads the owner file; undefined when there is none that can be understood. */
export async function readOwner(path: string): Promise<Owner | undefined> {
  const fields = await readObject(path)
  const identity = identityFrom(fields)
  const state = OWNER_STATES.find((known) => known === fields?.get('state'))
  if (identity === undefined || state === undefined) return undefined
  const baseUrl = fields?.get('baseUrl')
  const launchers = fields?.get('launchers')
  return {
    ...identity,
    state,
    baseUrl: typeof baseUrl === 'string' ? baseUrl : null,
    launchers: (Array.isArray(launchers) ? launchers : []).flatMap(
      (launcher) => identityFrom(asFields(launcher)) ?? [],
    ),
  }
}

/** Writes the owner file for this process. */
export async function writeOwner(
  path: string,
  facts: { state: OwnerState; baseUrl: string | null; launchers: readonly ProcessIdentity[] },
): Promise<void> {
  const self = await identify(process.pid)
  await writeObject(path, { pid: process.pid, startedAt: self?.startedAt ?? 'unknown', ...facts })
}
