import type { Tx } from '../store/postgres.ts'

/** How the places of a network stand. */
export interface PlaceFigures {
  readonly network: string
  readonly open: number
  readonly mined: number
  readonly frozenLanes: number
  readonly oldestOpenAtMilliseconds: number | null
  /** What came in and no node tells. */
  readonly unreadDeposits: number
}

/** Counts what is on its way, and the lanes that are stopped. Reads what is not final only, whatever was paid before. */
export async function placeFigures(
  tx: Tx,
  networks: readonly string[],
): Promise<readonly PlaceFigures[]> {
  const rows = await tx.query<{
    network: string
    open: string
    mined: string
    frozen: string
    oldest: Date | null
    unread: string
  }>(
    'figures_places',
    `select n.network, t.open, t.mined, t.oldest,
       (select count(*) from lanes l where l.network = n.network and l.state = 'frozen') as frozen,
       (select count(*) from unread_deposits u where u.network = n.network) as unread
     from unnest($1::text[]) as n (network),
       lateral (select count(*) filter (where state = 'open') as open, count(*) filter (where state = 'mined') as mined,
           min(created_at) filter (where state = 'open') as oldest
         from chain_transactions c where c.network = n.network and c.state in ('open', 'mined')) t`,
    [networks],
  )
  return rows.map((row) => ({
    network: row.network,
    open: Number(row.open),
    mined: Number(row.mined),
    frozenLanes: Number(row.frozen),
    oldestOpenAtMilliseconds: row.oldest?.getTime() ?? null,
    unreadDeposits: Number(row.unread),
  }))
}

/** How far a network has been read, by whichever instance. */
export interface FollowerFigures {
  readonly network: string
  readonly height: number
  readonly finalizedHeight: number
  readonly isHalted: boolean
}

export async function followerFigures(
  tx: Tx,
  networks: readonly string[],
): Promise<readonly FollowerFigures[]> {
  const rows = await tx.query<{
    network: string
    height: string
    finalized_height: string
    halted: boolean
  }>(
    'figures_followers',
    `select network, height, finalized_height, halted_reason is not null as halted from followers
     where network = any($1)`,
    [networks],
  )
  return rows.map((row) => ({
    network: row.network,
    height: Number(row.height),
    finalizedHeight: Number(row.finalized_height),
    isHalted: row.halted,
  }))
}
