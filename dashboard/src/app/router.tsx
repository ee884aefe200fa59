import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router'
import { guardedPage } from './guarded-page.tsx'
import { NotThere } from './not-there.tsx'
import { pageCode } from './page-code.ts'
import { PAGES } from './pages.ts'
import { PageFailed } from './page-failed.tsx'
import { PageLoading } from './page-loading.tsx'
import { Shell } from './shell.tsx'

/** Addresses of the dashboard: the sign-in, and behind it every row of the table of pages. */
export function openRouter() {
  const root = createRootRoute({ component: Outlet })
  const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell })
  const pages = PAGES.map((row) =>
    createRoute({
      getParentRoute: () => shell,
      path: row.path,
      component: guardedPage(row, lazyRouteComponent(pageCode(row.load), 'Page')),
    }),
  )
  const signIn = createRoute({
    getParentRoute: () => root,
    path: '/signin',
    component: lazyRouteComponent(
      pageCode(() => import('../pages/sign-in.tsx')),
      'Page',
    ),
  })
  return createRouter({
    routeTree: root.addChildren([signIn, shell.addChildren(pages)]),
    basepath: '/dashboard',
    defaultPreload: 'intent',
    defaultPendingComponent: PageLoading,
    defaultErrorComponent: PageFailed,
    defaultNotFoundComponent: NotThere,
    scrollRestoration: true,
  })
}
