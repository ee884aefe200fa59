import type { ComponentProps } from 'react'
import { Icon } from './icon.tsx'
import type { IconName } from './icon.tsx'

const KINDS = {
  primary: 'bg-brand text-on-brand hover:bg-brand-strong border-transparent',
  plain: 'bg-surface text-ink hover:bg-raised border-line',
  quiet: 'bg-transparent text-soft hover:bg-raised hover:text-ink border-transparent',
  danger: 'bg-surface text-bad hover:bg-bad-ground border-line',
} as const

export type ButtonKind = keyof typeof KINDS

/** How everything looks that is pressed, links that lead to a deed included. */
export function buttonStyle(kind: ButtonKind = 'plain'): string {
  return `inline-flex min-h-9 items-center justify-center gap-2 rounded-md border px-3 py-1.5 font-medium whitespace-nowrap transition-colors disabled:opacity-55 ${KINDS[kind]}`
}

/** A button that says what it does. While `busy` it takes no press, and keeps its width. */
export function Button({
  kind = 'plain',
  icon,
  busy = false,
  children,
  className = '',
  type = 'button',
  disabled = false,
  ...rest
}: ComponentProps<'button'> & { kind?: ButtonKind; icon?: IconName; busy?: boolean }) {
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled || busy}
      aria-busy={busy}
      className={`${buttonStyle(kind)} ${className}`}
    >
      {icon === undefined ? null : <Icon name={icon} className="size-4" />}
      {children}
    </button>
  )
}
