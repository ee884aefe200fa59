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

/** The dashboard of this installation, as its sources stand; they are read at the first request. */
export function ownDashboard(dataDirectory: string, state: () => BuildState): FileTree {
  let tag: Promise<string> | undefined
  return openDashboardPages({
    state,
    directories: async () => {
      tag ??= sourceTag()
      const name = await tag
      return dashboardPlaces(dataDirectory).map((place) => join(place, name))
    },
  })
}
