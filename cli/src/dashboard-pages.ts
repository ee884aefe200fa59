import { join } from 'node:path'
import { INSTALLED } from '@florin/dashboard/build/places.ts'
import { sourceTag } from '@florin/dashboard/build/source-tag.ts'
import { openDashboardPages } from '@florin/server/dashboard/pages.ts'
import type { BuildState } from '@florin/server/dashboard/not-built.ts'
import type { FileTree } from '@florin/server/http/file-tree.ts'

/** Folders that may hold builds of the dashboard, the preferred one first. */
export function dashboardPlaces(dataDirectory: string): readonly string[] {
  return [INSTALLED, join(dataDirectory, 'dashboard')]
}

/** Gives the name of the sources as they stood when it was asked for first: who serves it goes on with that. */
export function openOwnTag(): () => Promise<string> {
  let tag: Promise<string> | undefined
  return () => (tag ??= sourceTag())
}

/** The dashboard of this installation. */
export function ownDashboard({
  dataDirectory,
  tag,
  state,
}: {
  readonly dataDirectory: string
  /** Names the build that is served; where it is gone before anybody asked for it, the one of the sources as they stand. */
  readonly tag: () => Promise<string>
  readonly state: () => BuildState
}): FileTree {
  return openDashboardPages({
    state,
    directories: async () => {
      const own = await tag()
      // Whoever exchanged the installation under a running service, and built it, has a build of other sources and none of ours.
      const now = await sourceTag().catch(() => own)
      return [...new Set([own, now])].flatMap((name) =>
        dashboardPlaces(dataDirectory).map((place) => join(place, name)),
      )
    },
  })
}
