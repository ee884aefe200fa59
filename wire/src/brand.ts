declare const kind: unique symbol

/** A value that was parsed at the door: same bytes, but only its own parser may make one. */
export type Brand<Base, Name extends string> = Base & { readonly [kind]: Name }
