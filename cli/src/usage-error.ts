/** The command line asks for something that is not there. Exit code 2, with a way on. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A plain sentence for the operator: no stack trace, exit code 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}
