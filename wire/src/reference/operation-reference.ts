/** What the reference says of an operation beside its row: a few words and one example of everything. */
export interface OperationReference {
  /** What a caller does with it, in two or three words. */
  readonly title: string
  /** Paragraphs in the Markdown that docs/ is written in. */
  readonly about: readonly string[]
  /** A value for each part of the path. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number>>
  readonly body?: object
  /** As it goes out, without `success` and `timestamp`. */
  readonly answer: object
}
