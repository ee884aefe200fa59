import { identify, identityFrom } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { asFields, readObject, writeObject } from './small-json.ts'

export const OWNER_STATES = ['starting', 'ready', 'stopping'] as const
export type OwnerState = (typeof OWNER_STATES)[number]

/** Who runs on a data directory, as that process last said. The lock decides; this file explains. */
export interface Owner extends ProcessIdentity {
  readonly state: OwnerState
  /** Where it answers; null while that is not known yet. */
  readonly baseUrl: string | null
  /** The launcher that it ends with, if one started it. */
  readonly launcher: ProcessIdentity | null
}

/** Reads the owner file; undefined when there is none that can be understood. */
export async function readOwner(path: string): Promise<Owner | undefined> {
  const fields = await readObject(path)
  const identity = identityFrom(fields)
  const state = OWNER_STATES.find((known) => known === fields?.get('state'))
  if (identity === undefined || state === undefined) return undefined
  const baseUrl = fields?.get('baseUrl')
  return {
    ...identity,
    state,
    baseUrl: typeof baseUrl === 'string' ? baseUrl : null,
    launcher: identityFrom(asFields(fields?.get('launcher'))) ?? null,
  }
}

/** Writes the owner file for this process. */
export async function writeOwner(
  path: string,
  facts: { state: OwnerState; baseUrl: string | null; launcher: ProcessIdentity | null },
): Promise<void> {
  const self = await identify(process.pid)
  await writeObject(path, { pid: process.pid, startedAt: self?.startedAt ?? 'unknown', ...facts })
}
