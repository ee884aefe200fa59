/** What a value is, before or after it: on the small card of a narrow screen, where no column says it. */
export function NarrowName({ children }: { children: string }) {
  return <span className="text-soft sm:hidden">{children}</span>
}
