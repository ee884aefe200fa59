import type { ComponentType } from 'react'
import type { Role } from '@florin/wire/role.ts'
import type { IconName } from '../parts/icon.tsx'

/** A page: where it is, what its link is called, and what draws it once it is asked for. */
export interface PageRow {
  /** Below /dashboard; `$name` for a part that varies. */
  readonly path: string
  /** Its link at the side; left out, other pages lead to it. */
  readonly link?: { readonly name: string; readonly icon: IconName }
  /** Whom it is for: the members of an account, those of certain roles, or who runs the installation. */
  readonly for: 'members' | readonly Role[] | 'operators'
  readonly load: () => Promise<{ Page: ComponentType }>
}

/** Every page behind the sign-in, in the order of the links. A page's file exports it as `Page`. */
export const PAGES: readonly PageRow[] = [
  {
    path: '/',
    link: { name: 'Overview', icon: 'overview' },
    for: 'members',
    load: () => import('../pages/overview.tsx'),
  },
  {
    path: '/payments',
    link: { name: 'Payments', icon: 'payments' },
    for: 'members',
    load: () => import('../pages/payments.tsx'),
  },
  {
    path: '/payments/$paymentId',
    for: 'members',
    load: () => import('../pages/payment.tsx'),
  },
  {
    path: '/keys',
    link: { name: 'API keys', icon: 'keys' },
    for: ['owner', 'developer'],
    load: () => import('../pages/keys.tsx'),
  },
  {
    path: '/first-payment',
    for: ['owner', 'developer'],
    load: () => import('../pages/first-payment.tsx'),
  },
  {
    path: '/wallets',
    link: { name: 'Wallets', icon: 'wallets' },
    for: 'members',
    load: () => import('../pages/wallets.tsx'),
  },
  {
    path: '/wallets/$address',
    for: 'members',
    load: () => import('../pages/wallet.tsx'),
  },
  {
    path: '/webhooks',
    link: { name: 'Webhooks', icon: 'webhooks' },
    for: 'members',
    load: () => import('../pages/webhooks.tsx'),
  },
  {
    path: '/webhooks/$webhookId',
    for: 'members',
    load: () => import('../pages/webhook.tsx'),
  },
  {
    path: '/events',
    link: { name: 'Events', icon: 'events' },
    for: 'members',
    load: () => import('../pages/events.tsx'),
  },
  {
    path: '/x402',
    link: { name: 'x402', icon: 'x402' },
    for: ['owner', 'developer'],
    load: () => import('../pages/x402.tsx'),
  },
  {
    path: '/trading',
    link: { name: 'Trading', icon: 'trading' },
    for: ['owner', 'developer'],
    load: () => import('../pages/trading.tsx'),
  },
  {
    path: '/usage',
    link: { name: 'Usage and plan', icon: 'usage' },
    for: 'members',
    load: () => import('../pages/usage.tsx'),
  },
  {
    path: '/settings',
    link: { name: 'Settings', icon: 'settings' },
    for: 'members',
    load: () => import('../pages/settings.tsx'),
  },
  {
    path: '/accounts',
    link: { name: 'Accounts', icon: 'accounts' },
    for: 'operators',
    load: () => import('../pages/accounts.tsx'),
  },
  {
    path: '/plans',
    link: { name: 'Plans', icon: 'plans' },
    for: 'operators',
    load: () => import('../pages/plans.tsx'),
  },
  {
    path: '/plans/$plan',
    for: 'operators',
    load: () => import('../pages/plan.tsx'),
  },
  {
    path: '/system',
    link: { name: 'System', icon: 'system' },
    for: 'operators',
    load: () => import('../pages/system.tsx'),
  },
  {
    path: '/audit-log',
    link: { name: 'Audit log', icon: 'audit' },
    for: 'operators',
    load: () => import('../pages/audit-log.tsx'),
  },
  {
    path: '/installation',
    link: { name: 'Installation settings', icon: 'settings' },
    for: 'operators',
    load: () => import('../pages/installation.tsx'),
  },
]
